// Draws a Vega-Lite specification of the server's: interpreted, as nothing of a page may be evaluated, and as SVG, whose
// marks assistive technology can read.

import { h } from "../lib/dom.js";
import { count } from "../lib/format.js";

// What the server gives a plot that asks for no width, and how wide that may become here.
const USUAL = 560;
const WIDE = 860;
// So many points a letter of a name below an axis takes where the server lays names flat.
const LETTER = USUAL / 60;
let vega = null;
let view = null;
let turn = 0;

const load = () => (vega ??= import("../vendor/vega.js"));

/** Where what draws cannot be loaded: the server's picture. */
function still(place, drawing, picture) {
  vega = null;
  const said = "The server drew this, as what draws here could not be loaded. The table below leads to the cells.";
  place.replaceChildren(h("img", { src: picture, alt: drawing.alt }), h("p", { class: "muted", role: "status" }, said));
}

/** How numbers are written where the browser's language is spoken, as d3 wants it. */
function numberLocale() {
  const parts = new Intl.NumberFormat(navigator.language).formatToParts(-1234567.8);
  const sign = (type, other) => parts.find((part) => part.type === type)?.value ?? other;
  return { decimal: sign("decimal", "."), thousands: sign("group", ""), grouping: [3], currency: ["", ""], minus: "−" };
}

/** Names that the server lays flat below an axis are turned where they have no room. */
function turned(part, width) {
  const x = part.encoding?.x;
  if (x?.axis?.labelAngle !== 0) return part;
  const letters = Math.max(...x.sort.map((name) => String(name).length)) * x.sort.length;
  if (letters * LETTER <= width) return part;
  return { ...part, encoding: { ...part.encoding, x: { ...x, axis: { ...x.axis, labelAngle: -40 } } } };
}

const isPie = (spec) => spec.layer?.[0].mark.type === "arc";

/** As wide as its place where it has one panel; panels and pies keep their size and their place scrolls. */
function fitted(spec, place) {
  if (spec.facet || isPie(spec)) return spec;
  const most = spec.width === USUAL ? WIDE : spec.width;
  const width = Math.max(220, Math.min(most, place.clientWidth));
  const parts = spec.layer ? { layer: spec.layer.map((part) => turned(part, width)) } : turned(spec, width);
  return { ...spec, ...parts, width, autosize: { type: "fit-x", contains: "padding" } };
}

/** Shows the drawing in `place`; `chosen(mark)` is called with the number of a mark that is clicked. `picture` is the
    address of the same as the server draws it. */
export async function draw(place, drawing, chosen, picture) {
  const own = ++turn;
  const code = await load().catch(() => null);
  if (own !== turn) return;
  if (!code) return still(place, drawing, picture);
  const { vegaEmbed } = code;
  view?.finalize();
  const theme = document.documentElement.dataset.theme === "dark" ? "dark" : "light";
  const holder = document.createElement("div");
  place.replaceChildren(holder);
  const spec = fitted(drawing.vega_lite, place);
  const { view: made } = await vegaEmbed(holder, spec, {
    mode: "vega-lite",
    ast: true,
    renderer: "svg",
    actions: false,
    defaultStyle: false,
    tooltip: { disableDefaultStyle: true },
    config: { ...drawing.themes[theme], background: "transparent" },
    formatLocale: numberLocale(),
  });
  view = made;
  const svg = holder.querySelector("svg");
  svg?.setAttribute("aria-label", `${count(drawing.tables.reduce((sum, one) => sum + one.rows.length, 0))} marks; described below and as a table`);
  made.addEventListener("click", (_event, item) => {
    const mark = item?.datum?.mark;
    if (Number.isInteger(mark)) chosen(mark);
  });
}
