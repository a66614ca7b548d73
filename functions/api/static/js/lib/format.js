// Numbers, times and names as people read them.

const NUMBER = new Intl.NumberFormat("en");

export const count = (value) => NUMBER.format(value ?? 0);

const GROUPED = new Intl.NumberFormat("en", { maximumFractionDigits: 9 });
const PLAIN = new Intl.NumberFormat("en", { maximumFractionDigits: 9, useGrouping: false });

/** A number of a document. One without a unit may be a year or a model, which have no signs between their thousands. */
export const figure = (value, unit) => (unit ? GROUPED : PLAIN).format(value);

/** A value in another unit than the printed one: six digits, and all that stand before the point. */
export const converted = (value) => Number(value.toPrecision(Math.max(6, Math.trunc(Math.abs(value)).toString().length)));

const printed = new Map();

/** A number with so many decimals as the document prints, in the way of the browser's language. */
export function asPrinted(value, decimals) {
  const digits = { minimumFractionDigits: decimals, maximumFractionDigits: decimals, useGrouping: false };
  if (!printed.has(decimals)) printed.set(decimals, new Intl.NumberFormat(navigator.language, digits));
  return printed.get(decimals).format(value);
}

export const plural = (value, one, many = `${one}s`) => `${count(value)} ${value === 1 ? one : many}`;

/** Confidence with two digits; never rounded up to 1.00. */
export const confidence = (value) =>
  value === null || value === undefined ? "–" : (Math.floor(value * 100) / 100).toFixed(2);

/** Tier thresholds as in the API: green from .85, yellow from .70. */
export const tierOf = (value) => (value >= 0.85 ? "green" : value >= 0.7 ? "yellow" : "red");

/** A retrieval score: three decimals, one from ten on. */
export const score = (value) => value.toFixed(value < 10 ? 3 : 1);

/** A section by its address and title; empty where it has neither. */
export const sectionName = ({ address, title }) => [address, title].filter(Boolean).join(" ");

/** The version of a document by its label, or by its number behind `word`. */
export const versionName = ({ version }, word = "v") => version.label ?? `${word}${version.index}`;

export function duration(seconds) {
  if (seconds === null || seconds === undefined) return "–";
  if (seconds < 1) return `${Math.round(seconds * 1000)} ms`;
  if (seconds < 60) return `${seconds.toFixed(1)} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${Math.round(seconds % 60)} s`;
  return `${Math.floor(seconds / 3600)} h ${Math.round((seconds % 3600) / 60)} min`;
}

/** A time that is only estimated: whole seconds below a minute, then minutes. */
export function roughly(seconds) {
  const whole = Math.max(1, Math.round(seconds));
  if (whole < 60) return `${whole} s`;
  return whole < 600 ? `${Math.floor(whole / 60)} min ${whole % 60} s` : duration(Math.round(whole / 60) * 60).replace(" 0 s", "");
}

/** A message of the server in the browser's words: some name an option of the command line, where a field is meant. */
export const inBrowser = (text) =>
  text?.replace("Give the password with --password, or beside the document in the browser.", "Type the password beside the document.") ?? text;

export const milliseconds = (value) =>
  value === null || value === undefined ? "–" : value < 10 ? `${value.toFixed(1)} ms` : `${Math.round(value)} ms`;

export const dollars = (value) => (value === 0 ? "$0.00" : value < 0.01 ? "< $0.01" : `$${value.toFixed(2)}`);

export function bytes(value) {
  if (value < 1024) return `${value} B`;
  if (value < 1024 ** 2) return `${Math.round(value / 1024)} kB`;
  return `${(value / 1024 ** 2).toFixed(1)} MB`;
}

const STEPS = [
  [60, "second", 1],
  [3600, "minute", 60],
  [86400, "hour", 3600],
  [2592000, "day", 86400],
  [31536000, "month", 2592000],
  [Infinity, "year", 31536000],
];
const RELATIVE = new Intl.RelativeTimeFormat("en", { numeric: "auto" });

export function age(iso, now = Date.now()) {
  const seconds = Math.max(0, (now - Date.parse(iso)) / 1000);
  if (seconds < 45) return "just now";
  const [, unit, size] = STEPS.find(([limit]) => seconds < limit);
  return RELATIVE.format(-Math.round(seconds / size), unit);
}

const WORDS = {
  table_row: "table row",
  page_number: "page number",
  repeated_table_header: "repeated table header",
  ocr: "OCR: not verbatim",
  low_ocr_confidence: "uncertain OCR",
  hidden: "hidden in the file",
  partly_hidden: "partly hidden in the file",
  head_left_out: "without the values of its head",
  source_changed: "source changed: unproved",
};
export const words = (name) => WORDS[name] ?? String(name).replaceAll("_", " ");

export const INDEX_LABEL = {
  lookup_section: "look-up",
  fts_search: "full text",
  vector_search: "vector",
  rerank: "rerank",
};

/** What a passage says, with ticks in its boxes and a row's cells after their headers. */
export const told = (chunk) => chunk.marked ?? chunk.labelled ?? chunk.content;
