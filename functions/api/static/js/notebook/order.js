// The order of cells, by pointer: a cell is dragged by its grip, and put where the line shows.

/** `move(id, before)` is called with the ids of the dragged cell and of the one it is put before, null for the end. */
export function attachDragging(list, move) {
  let dragged = null;
  const cellOf = (node) => node.closest?.(".notebook-cell") ?? null;
  const clear = () => list.querySelectorAll(".drop-before, .drop-after").forEach((node) => node.classList.remove("drop-before", "drop-after"));
  list.addEventListener("dragstart", (event) => {
    if (!event.target.matches?.(".notebook-grip")) return;
    dragged = cellOf(event.target);
    event.dataTransfer.effectAllowed = "move";
    event.dataTransfer.setData("text/plain", dragged.dataset.cell);
    event.dataTransfer.setDragImage(dragged, 20, 20);
    dragged.classList.add("dragged");
  });
  list.addEventListener("dragover", (event) => {
    const over = cellOf(event.target);
    if (!dragged || !over) return;
    event.preventDefault();
    clear();
    if (over !== dragged) over.classList.add(isBelow(event, over) ? "drop-after" : "drop-before");
  });
  list.addEventListener("drop", (event) => {
    const over = cellOf(event.target);
    if (!dragged || !over) return;
    event.preventDefault();
    let before = isBelow(event, over) ? over.nextElementSibling : over;
    if (before === dragged) before = dragged.nextElementSibling;
    if (over !== dragged && dragged.nextElementSibling !== before) move(dragged.dataset.cell, before?.dataset.cell ?? null);
  });
  list.addEventListener("dragend", () => {
    dragged?.classList.remove("dragged");
    dragged = null;
    clear();
  });
}

function isBelow(event, node) {
  const { top, height } = node.getBoundingClientRect();
  return event.clientY > top + height / 2;
}
