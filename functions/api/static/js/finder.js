// The search field of every page (⌘K, Ctrl-K): what it needs is loaded when it is first opened.

const opener = document.getElementById("finder-open");

/** On one machine and for who is signed in; the pages for nobody have no such button. */
async function open() {
  const { openFinder } = await import("./lib/finder.js");
  openFinder();
}

if (opener) {
  opener.querySelector("kbd").textContent = /Mac|iPhone|iPad/.test(navigator.platform) ? "⌘K" : "Ctrl K";
  opener.addEventListener("click", open);
  document.addEventListener("keydown", (event) => {
    if (event.key.toLowerCase() !== "k" || event.altKey || event.shiftKey || !(event.metaKey || event.ctrlKey)) return;
    if (document.querySelector("dialog[open]:not(#finder)")) return;
    event.preventDefault();
    open();
  });
}
