// Building elements without markup strings: text is always text, and positions go through CSSOM (strict CSP).

const SVG = "http://www.w3.org/2000/svg";

/** An element with attributes (`class`, `data`, `vars`, `on*` are special) and children; null and false are left out. */
export function h(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) set(node, name, value);
  node.append(...children.flat(3).filter((child) => child !== null && child !== undefined && child !== false));
  return node;
}

function set(node, name, value) {
  if (value === null || value === undefined || value === false) return;
  if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
  else if (name === "data") Object.assign(node.dataset, value);
  else if (name === "vars") for (const [key, item] of Object.entries(value)) node.style.setProperty(`--${key}`, item);
  else node.setAttribute(name, value === true ? "" : value);
}

/** Makes `nodes` the children of `parent`. Those that are there stay where they are, with their focus and what is typed. */
export function keepChildren(parent, nodes) {
  const wanted = new Set(nodes);
  for (const child of [...parent.childNodes]) if (!wanted.has(child)) child.remove();
  nodes.forEach((node, at) => {
    if (parent.childNodes[at] !== node) parent.insertBefore(node, parent.childNodes[at] ?? null);
  });
}

/** Makes `node` look like `other`, piece by piece; pieces that are alike stay, with their focus and their handlers. */
export function alter(node, other) {
  if (node.nodeType !== other.nodeType || node.nodeName !== other.nodeName) return node.replaceWith(other);
  if (node.nodeType === Node.TEXT_NODE) return void (node.data === other.data || (node.data = other.data));
  for (const { name } of [...node.attributes]) if (!other.hasAttribute(name)) node.removeAttribute(name);
  for (const { name, value } of [...other.attributes]) {
    if (node.getAttribute(name) === value) continue;
    if (name === "style") node.style.cssText = other.style.cssText;
    else node.setAttribute(name, value);
  }
  if (node instanceof HTMLInputElement) [node.value, node.checked] = [other.value, other.checked];
  const [own, wanted, chosen] = [[...node.childNodes], [...other.childNodes], other.value];
  if (own.length !== wanted.length) return node.replaceChildren(...wanted);
  own.forEach((child, at) => alter(child, wanted[at]));
  if (node instanceof HTMLSelectElement) node.value = chosen;
}

/** An SVG element with attributes. */
export function svg(tag, attributes = {}, ...children) {
  const node = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  node.append(...children);
  return node;
}

const PATHS = {
  trash: "M4 6h12M8 6V4h4v2M6 6l.7 10h6.6L14 6M8.5 9v4.5M11.5 9v4.5",
  refresh: "M15.5 10a5.5 5.5 0 1 1-1.7-4M15.5 3v3.2h-3.2",
  copy: "M7 7V4h9v9h-3M4 7h9v9H4z",
  link: "M8.5 11.5l3-3M9 6.5l1.6-1.6a3 3 0 0 1 4.3 4.3L13.3 11M11 13.5l-1.6 1.6a3 3 0 0 1-4.3-4.3L6.700 9",
  flag: "M5 17V4h9l-2 3 2 3H5",
  lock: "M6.5 9V7a3.5 3.5 0 0 1 7 0v2M5 9h10v7.5H5z",
  tick: "M4.5 10.5l3.5 3.5 7.5-8",
};

/** A line icon, hidden from assistive technology. */
export function icon(name) {
  return svg("svg", { viewBox: "0 0 20 20", class: "icon", "aria-hidden": "true" }, svg("path", { d: PATHS[name] }));
}

export const byId = (id) => document.getElementById(id);

/** Says `text` to screen readers without moving the focus. */
export function announce(text) {
  byId("announcer").textContent = text;
}

/** Calls `work` at most once per frame. */
export function perFrame(work) {
  let asked = false;
  return () => {
    if (asked) return;
    asked = true;
    requestAnimationFrame(() => {
      asked = false;
      work();
    });
  };
}

/** Calls `work` once nothing more has come for `wait` milliseconds. */
export function settled(work, wait) {
  let timer = 0;
  return (...args) => {
    clearTimeout(timer);
    timer = setTimeout(() => work(...args), wait);
  };
}

export const calm = () => matchMedia("(prefers-reduced-motion: reduce)").matches;
