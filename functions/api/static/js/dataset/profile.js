// What is in a column, small: its type and unit, a histogram or the commonest values, what is missing.

import { h, svg } from "../lib/dom.js";
import { asPrinted, count, plural } from "../lib/format.js";

const WIDTH = 96;
const HEIGHT = 24;

const SHORT = new Intl.NumberFormat(navigator.language, { maximumSignificantDigits: 4, useGrouping: false });
const short = (value, decimals = null) => (typeof value !== "number" ? String(value) : decimals === null ? SHORT.format(value) : asPrinted(value, decimals));
const reach = (profile, between) => `${short(profile.min, profile.min_decimals)}${between}${short(profile.max, profile.max_decimals)}`;

function bars(values) {
  const most = Math.max(...values, 1);
  const wide = WIDTH / values.length;
  const drawn = values.map((value, at) => {
    const high = value ? Math.max(1, (value / most) * HEIGHT) : 0;
    return svg("rect", { x: at * wide, y: HEIGHT - high, width: Math.max(1, wide - 1), height: high });
  });
  return svg("svg", { class: "spark", viewBox: `0 0 ${WIDTH} ${HEIGHT}`, "aria-hidden": "true" }, ...drawn);
}

/** What is said of the whole column, in words. */
export function inWords(profile) {
  const said = [`${plural(profile.distinct, "distinct value")}`, profile.missing ? `${count(profile.missing)} missing` : "none missing"];
  if (profile.min !== null) said.push(`from ${reach(profile, " to ")}`);
  if (profile.mean !== null) said.push(`mean ${short(profile.mean)}`);
  if (profile.frequent.length) said.push(`most often ${profile.frequent[0].value}`);
  return said.join(", ");
}

/** For the head of a column; null until the profile is there. */
export function profileView(profile) {
  if (!profile) return h("span", { class: "profile" });
  const values = profile.histogram.length ? profile.histogram.map((bin) => bin.count) : profile.frequent.map((one) => one.count);
  const range = profile.min === null ? plural(profile.distinct, "value") : reach(profile, " – ");
  return h(
    "span",
    { class: "profile", title: inWords(profile) },
    values.length > 0 && bars(values),
    h("span", { class: "range" }, range),
    profile.missing > 0 && h("span", { class: "missing" }, `${count(profile.missing)} missing`),
    h("span", { class: "visually-hidden" }, inWords(profile)),
  );
}
