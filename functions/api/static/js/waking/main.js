// The page that stands for another one while the database wakes up: it goes on to it by itself.
import { byId } from "../lib/dom.js";
import { untilAwake } from "../lib/waking.js";

const USUAL_S = 30;

async function wait() {
  byId("waking-again").hidden = true;
  byId("waking-progress").hidden = false;
  const awake = await untilAwake((seconds) => {
    // Half the bar is the usual time: it never stands still at its end.
    byId("waking-progress").value = seconds / (seconds + USUAL_S);
    byId("waking-said").textContent = `${seconds} s so far. Your documents are not affected.`;
  });
  if (awake) {
    location.reload();
    return;
  }
  byId("waking-title").textContent = "The database does not wake up";
  byId("waking-text").textContent = "It has not answered for three minutes. Try again, or tell whoever operates Autri, with the number below.";
  byId("waking-progress").hidden = true;
  byId("waking-again").hidden = false;
}

byId("waking-again").addEventListener("click", wait);
wait();
