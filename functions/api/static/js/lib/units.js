// What columns are called with their units.

/** The label with its unit behind it, unless that stands in it as a word: `Mass (kg)` says kg, and not g. */
export const withUnit = ({ label, unit }) => (unit && !label.split(/[\s()[\],]+/).includes(unit) ? `${label} (${unit})` : label);
