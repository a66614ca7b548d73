// Dropping files anywhere on the page; the veil shows only while files are over the window.

/** Calls `take(FileList)` for each drop of files. */
export function acceptDrops(veil, take) {
  let depth = 0;
  const files = (event) => [...(event.dataTransfer?.types ?? [])].includes("Files");
  const show = (yes) => {
    veil.hidden = !yes;
  };
  addEventListener("dragenter", (event) => {
    if (files(event)) {
      depth += 1;
      show(true);
    }
  });
  addEventListener("dragleave", (event) => {
    if (files(event)) {
      depth -= 1;
      show(depth > 0);
    }
  });
  addEventListener("dragover", (event) => {
    if (files(event)) event.preventDefault();
  });
  addEventListener("drop", (event) => {
    if (!files(event)) return;
    event.preventDefault();
    depth = 0;
    show(false);
    take(event.dataTransfer.files);
  });
}
