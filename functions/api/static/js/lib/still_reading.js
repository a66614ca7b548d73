// Large tables are read in parts, some with each request: what was asked is asked again until it is answered.

import { h } from "./dom.js";

const EVERY_MS = 1000;
const TRIES = 120;

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

async function said(response) {
  if (response.status !== 503) return null;
  const problem = await response.clone().json().catch(() => ({}));
  return (problem.type ?? "").endsWith("still-reading") ? problem.detail : null;
}

/** The response of `send`, which is called again while something is being read; a bar says how far that is. */
export async function sendUntilRead(send) {
  let bar = null;
  try {
    for (let tried = 1; ; tried += 1) {
      const response = await send();
      const detail = await said(response);
      if (detail === null || tried === TRIES) return response;
      if (!bar) {
        bar = h("div", { class: "waking-bar", role: "status" }, h("b", {}, "A large table is being read."), h("span", {}), h("progress", { "aria-label": "Reading the table", max: 100 }));
        const dialog = document.querySelector("dialog[open]");
        if (dialog) dialog.prepend(bar);
        else document.querySelector(".topbar").after(bar);
      }
      const percent = Number(/(\d+) ?%/.exec(detail)?.[1] ?? 0);
      bar.querySelector("progress").value = percent;
      bar.querySelector("span").textContent = `${percent} % so far. This is done once, and goes on by itself.`;
      await pause(EVERY_MS);
    }
  } finally {
    bar?.remove();
  }
}
