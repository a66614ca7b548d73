// A database that nobody used sleeps. Whoever waits for it is told so, and what was asked is asked again by itself.

import { h } from "./dom.js";

const EVERY_MS = 2000;
const PATIENCE_MS = 180_000;
// A request that has not been answered for so long may be waiting for the database.
const SLOW_MS = 3000;

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** Whether the database answers; null where nobody can tell: the server is away, or the session has ended. */
async function isReady() {
  try {
    const answer = await fetch("/v1/ready", { headers: { accept: "application/json" }, cache: "no-store" });
    const { ok, status } = answer;
    // A body that nobody reads keeps its connection.
    await answer.text();
    return ok ? true : status === 503 ? false : null;
  } catch {
    return null;
  }
}

/** Asks until the database answers; `told(seconds)` hears how long it has been. Returns whether it did in time. */
export async function untilAwake(told) {
  const begun = Date.now();
  while (Date.now() - begun < PATIENCE_MS) {
    if (await isReady()) return true;
    told(Math.round((Date.now() - begun) / 1000));
    await pause(EVERY_MS);
  }
  return false;
}

let shown = null;

/** A bar below the header, or in the open dialog, until the database answers; one for all who wait. */
function showWaking() {
  shown ??= (async () => {
    const said = h("span", {}, "It was paused while nobody used it. What you typed stays, and this goes on by itself.");
    const bar = h(
      "div",
      { class: "waking-bar", role: "status" },
      h("b", {}, "The database is waking up."),
      said,
      h("progress", { "aria-label": "Waiting for the database" }),
    );
    // Beside an open dialog everything else is out of reach.
    const dialog = document.querySelector("dialog[open]");
    if (dialog) dialog.prepend(bar);
    else document.querySelector(".topbar").after(bar);
    try {
      return await untilAwake((seconds) => {
        said.textContent = `${seconds} s so far, usually 15 to 30. What you typed stays, and this goes on by itself.`;
      });
    } finally {
      bar.remove();
      shown = null;
    }
  })();
  return shown;
}

const away = async (response) => ((await response.clone().json().catch(() => ({}))).type ?? "").endsWith("database-away");

/** The response of `send`, which is called again where the database was away and has come back. */
export async function sendAwake(send) {
  for (;;) {
    const timer = setTimeout(async () => (await isReady()) === false && showWaking(), SLOW_MS);
    const response = await send().finally(() => clearTimeout(timer));
    if (response.status !== 503 || !(await away(response)) || !(await showWaking())) return response;
  }
}
