// The schema that a person is making: rows of what is declared and of what was read, with what they changed so far.

export const TYPES = ["number", "category", "date", "text", "boolean"];
const MANY_VALUES = 500;

/** As filters write names: small letters, digits and _. */
export const plainName = (text) =>
  text.normalize("NFKC").trim().toLowerCase().replaceAll(/[^\p{L}\p{N}]+/gu, "_").replaceAll(/^_+|_+$/g, "").slice(0, 60);

const labelOf = (name) => {
  const text = name.replaceAll("_", " ");
  return text.slice(0, 1).toUpperCase() + text.slice(1);
};

const unique = (texts) => [...new Set(texts.filter(Boolean))];
const keyOf = (text) => text.normalize("NFKC").trim().replaceAll(/\s+/g, " ").toLowerCase();

function declaredRow(declaration, counts, documents) {
  const has = counts ?? { count: 0, documents: 0, refused: {}, examples: [] };
  const names = unique([declaration.name, ...declaration.synonyms]).map((name) => ({ name, units: [] }));
  return { was: declaration, d: { ...declaration }, keep: true, shown: true, seen: { ...has, coverage: documents ? has.documents / documents : null, names, conflicts: [], maybe: [] } };
}

function proposedRow(one, open) {
  const { declaration, ...seen } = one;
  return { was: null, d: { ...declaration }, keep: open && one.recommended, shown: open && one.recommended, seen: { ...seen, refused: {} } };
}

/** The rows of a page: those that are shown first, and candidates. */
export class Draft {
  constructor(state, proposal) {
    this.version = state.version;
    this.open = state.open;
    this.documents = proposal.documents;
    const counts = new Map(state.counts.map((one) => [one.name, one]));
    this.rows = [...state.attributes.map((one) => declaredRow(one, counts.get(one.name), proposal.documents)), ...proposal.proposed.map((one) => proposedRow(one, state.open))];
    this.rows.forEach((row, at) => (row.id = `a${at}`));
    this.first = JSON.stringify(state.attributes);
    this.former = [];
    this.made = this.rows.length;
  }

  row(id) {
    return this.rows.find((one) => one.id === id);
  }

  get kept() {
    return this.rows.filter((row) => row.keep);
  }

  /** What would be declared, as the API takes it. */
  get attributes() {
    return this.kept.map((row) => declarationOf(row.d));
  }

  get changed() {
    return this.open ? this.kept.length > 0 : JSON.stringify(this.attributes) !== this.first;
  }

  /** Does `act`, which can be undone as a whole. */
  change(act) {
    this.former.push(JSON.stringify(this.rows));
    if (this.former.length > 100) this.former.shift();
    act();
  }

  undo() {
    const before = this.former.pop();
    if (before) this.rows = JSON.parse(before);
  }

  /** Another name; what it was printed as stays a synonym. */
  rename(row, text) {
    const name = plainName(text);
    if (!name || name === row.d.name) return;
    const { d } = row;
    if (!d.label || d.label === labelOf(d.name)) d.label = labelOf(name);
    d.synonyms = unique([...row.seen.names.map((one) => one.name), d.name, ...d.synonyms]).filter((one) => one !== name);
    d.name = name;
  }

  retype(row, type) {
    row.d.type = type;
    if (type !== "number") Object.assign(row.d, { unit: null, bare: false });
    if (type !== "category") row.d.values = [];
  }

  /** `row` becomes a part of `other`. */
  merge(row, other) {
    const { d, seen } = other;
    d.synonyms = unique([...d.synonyms, row.d.name, ...row.d.synonyms, ...row.seen.names.map((one) => one.name)]).filter((one) => one !== d.name);
    if (d.type === "category") d.values = [...d.values, ...row.d.values.filter(({ value }) => !d.values.some((one) => keyOf(one.value) === keyOf(value)))].slice(0, MANY_VALUES);
    d.unit ??= d.type === "number" ? row.d.unit : null;
    const gone = new Set([row.d.name, ...row.seen.names.map((one) => one.name)]);
    other.seen = {
      ...seen,
      count: seen.count + row.seen.count,
      documents: Math.max(seen.documents, row.seen.documents),
      coverage: seen.coverage === null ? null : Math.max(seen.coverage, row.seen.coverage ?? 0),
      names: [...seen.names, ...row.seen.names.filter(({ name }) => !seen.names.some((one) => one.name === name))],
      examples: [...seen.examples, ...row.seen.examples].slice(0, 6),
      conflicts: unique([...seen.conflicts, ...row.seen.conflicts]),
      maybe: unique([...seen.maybe, ...row.seen.maybe]).filter((name) => !gone.has(name) && name !== d.name),
    };
    this.rows = this.rows.filter((one) => one !== row);
    other.keep = true;
  }

  /** What is printed under `names` becomes an attribute of its own. */
  split(row, names) {
    const parts = row.seen.names.filter(({ name }) => names.includes(name));
    const rest = row.seen.names.filter(({ name }) => !names.includes(name));
    const [first] = parts;
    const count = parts.reduce((sum, one) => sum + (one.count ?? 0), 0);
    const documents = Math.max(0, ...parts.map((one) => one.documents ?? 0));
    this.made += 1;
    const made = {
      id: `a${this.made}`,
      was: null,
      keep: true,
      shown: row.shown,
      d: { ...row.d, name: first.name, label: labelOf(first.name), unit: row.d.type === "number" ? (first.units[0] ?? row.d.unit) : null, synonyms: names.slice(1), description: "" },
      seen: { ...row.seen, count, documents, coverage: this.documents ? documents / this.documents : null, names: parts, conflicts: [], maybe: [], examples: [] },
    };
    row.seen = { ...row.seen, names: rest, count: Math.max(0, row.seen.count - count) };
    if (names.includes(row.d.name) && rest.length) Object.assign(row.d, { name: rest[0].name, label: labelOf(rest[0].name) });
    row.d.synonyms = row.d.synonyms.filter((one) => !names.includes(one) && one !== row.d.name);
    this.rows.splice(this.rows.indexOf(row) + 1, 0, made);
  }

  /** Declares what a former version did. */
  bringBack(attributes) {
    const wanted = new Map(attributes.map((one) => [one.name, one]));
    for (const row of this.rows) {
      const declared = wanted.get(row.d.name);
      row.keep = declared !== undefined;
      if (declared) Object.assign(row, { d: { ...declared }, shown: true });
      wanted.delete(row.d.name);
    }
    for (const declared of wanted.values()) {
      this.made += 1;
      this.rows.unshift({ ...declaredRow(declared), was: null, id: `a${this.made}` });
    }
  }
}

/** Without what does not belong to its type. */
function declarationOf(d) {
  const number = d.type === "number";
  return { name: d.name, label: d.label, type: d.type, unit: number ? d.unit || null : null, bare: number && Boolean(d.unit) && d.bare, values: d.type === "category" ? d.values : [], synonyms: d.synonyms, description: d.description };
}
