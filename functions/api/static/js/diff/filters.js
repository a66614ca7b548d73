// The kinds of change that the list can be narrowed to, in the order of what matters most.

const differs = (item) => item.status !== "unchanged";
const flagged = (flag) => (item) => item.flags.includes(flag);

export const FILTERS = [
  { name: "all", label: "All changes", passes: differs },
  { name: "meaning", label: "More than wording", passes: (item) => item.status === "changed" && item.meaning === "changed" },
  { name: "numbers", label: "Numbers", passes: (item) => ["numbers", "units"].some((flag) => item.flags.includes(flag)) },
  { name: "modality", label: "Must, should, may", passes: flagged("modality") },
  { name: "negation", label: "Not, never", passes: flagged("negation") },
  { name: "limits", label: "Limits", passes: flagged("limits") },
  { name: "added", label: "Added", passes: (item) => item.status === "added" },
  { name: "removed", label: "Removed", passes: (item) => item.status === "removed" },
  { name: "moved", label: "Moved", passes: (item) => item.moved },
  { name: "wording", label: "Small wording changes", passes: (item) => item.meaning === "same" },
  { name: "unchanged", label: "Unchanged", passes: (item) => !differs(item) },
];

export const filterOf = (name) => FILTERS.find((filter) => filter.name === name);
