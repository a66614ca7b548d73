// The button of every page by which a note is written down (Alt-N): what it needs is loaded when it is first pressed.

const opener = document.getElementById("note-open");

/** For who may write; others have no such button. */
async function open(wish) {
  if (document.querySelector("dialog[open]")) return;
  const { openNote } = await import("./lib/note.js");
  await openNote(wish);
}

opener?.addEventListener("click", () => open());
// Other parts of a page ask for a note about something.
document.addEventListener("note-wanted", (event) => open(event.detail));
document.addEventListener("keydown", (event) => {
  if (!opener || event.code !== "KeyN" || !event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  open();
});
