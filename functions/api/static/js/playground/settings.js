// The settings of one run, as they stand in the address, in a request and in a stored trace.

export const INDEXES = [
  ["hybrid", "all indexes"],
  ["fts", "full text"],
  ["vector", "vector"],
];
export const TYPES = ["text", "list", "table_row", "table", "figure", "heading", "caption", "code", "formula", "footnote", "structured"];
/** Whether a model answers here that can search for itself before it does. */
export const plans = document.getElementById("main")?.dataset.plans === "yes";
const PLAIN = { index: "hybrid", k: 10, types: [], where: "", recency: "", least: "", documents: [], older: false, below: true, sort: "", facets: false, table: false, columns: [], plan: false };
const NAMES = { index: "index", k: "k", types: "type", where: "where", recency: "recency", least: "min", documents: "doc", older: "older", below: "below", sort: "sort", facets: "facets", table: "table", columns: "columns", plan: "plan" };
const USED = {
  ask: ["documents", "older", "k", "plan"],
  lookup: ["below", "documents", "older"],
  search: ["index", "k", "types", "where", "sort", "recency", "least", "documents", "older", "facets", "table", "columns"],
};

/** Which settings a mode has. */
export const usedBy = (mode) => USED[mode];

export const plain = () => structuredClone(PLAIN);

export function fromAddress(parameters) {
  const read = {
    index: (text) => (INDEXES.some(([name]) => name === text) ? text : PLAIN.index),
    k: (text) => Math.min(100, Math.max(1, Math.round(Number(text)) || PLAIN.k)),
    types: (text) => text.split(",").filter((type) => TYPES.includes(type)),
    where: (text) => text,
    recency: (text) => (Number(text) > 0 ? text : ""),
    least: (text) => (text !== "" && Number.isFinite(Number(text)) ? text : ""),
    documents: (text) => text.split(",").filter((id) => /^[0-9a-f-]{36}$/.test(id)),
    older: (text) => text === "yes",
    below: (text) => text !== "no",
    sort: (text) => text,
    facets: (text) => text === "yes",
    table: (text) => text === "yes",
    columns: (text) => text.split(",").filter(Boolean).map(decodeURIComponent),
    plan: (text) => text === "yes" && plans,
  };
  const settings = plain();
  for (const [key, name] of Object.entries(NAMES)) if (parameters.has(name)) settings[key] = read[key](parameters.get(name));
  return settings;
}

/** Name → text; "" for what is as it is without being said, or what the mode does not have. */
export function toAddress(settings, mode) {
  const texts = {
    ...settings,
    types: settings.types.join(","),
    documents: settings.documents.join(","),
    older: settings.older ? "yes" : "",
    below: settings.below ? "" : "no",
    facets: settings.facets ? "yes" : "",
    table: settings.table ? "yes" : "",
    columns: settings.columns.map(encodeURIComponent).join(","),
    plan: settings.plan ? "yes" : "",
    index: settings.index === PLAIN.index ? "" : settings.index,
    k: settings.k === PLAIN.k ? "" : String(settings.k),
  };
  return Object.fromEntries(Object.entries(NAMES).map(([key, name]) => [name, USED[mode].includes(key) ? texts[key] : ""]));
}

/** The settings that a stored trace was made with. */
export function fromTrace({ parameters }) {
  const given = {
    index: parameters.index,
    k: parameters.k,
    types: parameters.types,
    where: typeof parameters.where === "object" && parameters.where ? JSON.stringify(parameters.where) : parameters.where,
    recency: parameters.recency_days && String(parameters.recency_days),
    least: typeof parameters.min_score === "number" ? String(parameters.min_score) : "",
    documents: parameters.documents,
    older: parameters.include_superseded,
    below: parameters.recursive,
    sort: parameters.sort,
    facets: parameters.facets === undefined ? undefined : parameters.facets !== false,
    table: Array.isArray(parameters.columns),
    columns: parameters.columns,
    plan: parameters.plan,
  };
  return { ...plain(), ...Object.fromEntries(Object.entries(given).filter(([, value]) => value !== null && value !== undefined)) };
}

/** The settings that a conversation goes on with. */
export const fromScope = ({ k, documents, include_superseded: older, plan }) => ({ ...plain(), k, documents: documents ?? [], older, plan: plan && plans });

const someOrNone = (list) => (list.length ? list : null);

/** The filter as the API takes it: written, or its tree where that was pasted. */
function whereOf(text) {
  if (!text.trim().startsWith("{")) return text.trim() || null;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

export function toBody(settings, mode, query) {
  const older = { include_superseded: settings.older };
  if (mode === "ask") return { question: query, k: settings.k, documents: someOrNone(settings.documents), plan: settings.plan, ...older };
  if (mode === "lookup") return { address: query, recursive: settings.below, documents: someOrNone(settings.documents), ...older };
  return {
    query,
    index: settings.index,
    k: settings.k,
    types: someOrNone(settings.types),
    where: whereOf(settings.where),
    recency_days: settings.recency === "" ? null : Number(settings.recency),
    min_score: settings.least === "" ? null : Number(settings.least),
    documents: someOrNone(settings.documents),
    sort: settings.sort.trim() || null,
    facets: settings.facets,
    columns: settings.table ? settings.columns : null,
    ...older,
  };
}

/** In a few words what is set, for the head of a column. */
export function inWords(settings, mode) {
  const index = INDEXES.find(([name]) => name === settings.index)[1];
  const say = {
    index: index,
    k: `${settings.k} hits`,
    types: settings.types.map((type) => type.replaceAll("_", " ")).join(", "),
    where: settings.where,
    recency: settings.recency && `recency ${settings.recency} d`,
    least: settings.least && `score ≥ ${settings.least}`,
    documents: settings.documents.length ? `${settings.documents.length} pinned` : "",
    older: settings.older ? "older versions too" : "",
    below: settings.below ? "" : "the section alone",
    sort: settings.sort && `by ${settings.sort}`,
    plan: settings.plan && "the model searches first",
  };
  return USED[mode].map((key) => say[key]).filter(Boolean).join(" · ");
}
