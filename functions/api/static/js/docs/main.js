// The API's pages stand without this: it adds buttons that copy, and opens the operation that an address names.

import { copyButton } from "../lib/notice.js";

for (const line of document.querySelectorAll(".docs-line")) {
  line.append(copyButton(line.querySelector("pre").textContent, `Copy ${line.dataset.label}`));
}

function openNamed() {
  const named = location.hash.length > 1 && document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (named instanceof HTMLDetailsElement) named.open = true;
}
addEventListener("hashchange", openNamed);
openNamed();
