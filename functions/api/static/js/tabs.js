// The tabs of a page that are wider than the screen scroll within their row: the current one is brought into view.

for (const tab of document.querySelectorAll(".tabs [aria-current]")) {
  const row = tab.parentElement;
  const { left, width } = tab.getBoundingClientRect();
  row.scrollLeft += left + width / 2 - row.getBoundingClientRect().left - row.clientWidth / 2;
}
