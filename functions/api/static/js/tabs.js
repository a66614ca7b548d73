// The tabs of a page that are wider than the screen scroll within their row: the current one is brought into view, and
// `data-more` says on which sides there are others.

function mark(row) {
  const left = row.scrollLeft > 1;
  const right = row.scrollLeft + row.clientWidth < row.scrollWidth - 1;
  row.dataset.more = [left && "left", right && "right"].filter(Boolean).join(" ");
}

for (const row of document.querySelectorAll(".tabs")) {
  const tab = row.querySelector("[aria-current]");
  if (tab) {
    const { left, width } = tab.getBoundingClientRect();
    row.scrollLeft += left + width / 2 - row.getBoundingClientRect().left - row.clientWidth / 2;
  }
  row.addEventListener("scroll", () => mark(row), { passive: true });
  new ResizeObserver(() => mark(row)).observe(row);
}
