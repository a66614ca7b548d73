// The button of every page by which a note is written down (Alt-N): what it needs is loaded when it is first pressed.

const opener = document.getElementById("note-open");

/** For who may write; others have no such button. */
async function open() {
  if (document.querySelector("dialog[open]")) return;
  const { openNote } = await import("./lib/note.js");
  await openNote();
}

opener?.addEventListener("click", open);
document.addEventListener("keydown", (event) => {
  if (!opener || event.code !== "KeyN" || !event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  open();
});
