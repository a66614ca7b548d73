// HTML of the server's as elements: those named here and nothing else of it, so that nothing in it runs or loads.

const TAGS = new Set(
  ("a article b blockquote br caption code dd div dl dt em figcaption figure h1 h2 h3 h4 h5 h6 hr i img li ol p pre s small span " +
    "strong sub sup table tbody td th thead tr ul").split(" "),
);
const ATTRIBUTES = new Set(["alt", "aria-label", "class", "colspan", "href", "id", "rel", "rowspan", "scope", "start", "target"]);
const LINKS = /^(#|https?:|mailto:|\/(?!\/))/i;
const PICTURES = /^data:image\/(png|jpeg);base64,/;

function copy(node) {
  if (node.nodeType === Node.TEXT_NODE) return document.createTextNode(node.data);
  const tag = node.nodeName.toLowerCase();
  if (node.nodeType !== Node.ELEMENT_NODE || !TAGS.has(tag)) return document.createTextNode(node.textContent ?? "");
  const own = document.createElement(tag);
  for (const { name, value } of node.attributes) {
    if (name === "src" && tag === "img" && PICTURES.test(value)) own.src = value;
    else if (ATTRIBUTES.has(name) && (name !== "href" || LINKS.test(value))) own.setAttribute(name, value);
  }
  own.append(...[...node.childNodes].map(copy));
  return own;
}

/** Headings as parts of a page whose own end above `level`: each as deep as it stands in those before it. */
function nest(holder, level) {
  const above = [];
  for (const heading of holder.querySelectorAll("h1, h2, h3, h4, h5, h6")) {
    const own = Number(heading.nodeName[1]);
    while (above.length && above.at(-1) >= own) above.pop();
    above.push(own);
    const nested = document.createElement(`h${Math.min(6, level + above.length - 1)}`);
    nested.append(...heading.childNodes);
    heading.replaceWith(nested);
  }
}

/** What `html` shows, as nodes. Tables may be scrolled; its uppermost headings are of `level`. */
export function nodesOf(html, level) {
  const parsed = new DOMParser().parseFromString(html, "text/html");
  const nodes = [...parsed.body.childNodes].map(copy);
  const holder = document.createDocumentFragment();
  holder.append(...nodes);
  nest(holder, level);
  for (const table of holder.querySelectorAll("table")) {
    const place = document.createElement("div");
    place.className = "table-place";
    place.tabIndex = 0;
    place.setAttribute("role", "group");
    place.setAttribute("aria-label", table.caption?.textContent || "Table");
    table.replaceWith(place);
    place.append(table);
  }
  return [...holder.childNodes];
}
