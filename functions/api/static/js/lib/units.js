// What columns are called with their units, and units as people print them.

const PRINTED = { Cel: "°C", "[degF]": "°F", Ohm: "Ω", deg: "°", um: "µm", us: "µs", ug: "µg", uL: "µL", ul: "µl", "[in_i]": "in", "[ft_i]": "ft", "[lb_av]": "lb", "[cft_i]/min": "cfm", "1": "" };
const RAISED = { "-": "⁻", 0: "⁰", 1: "¹", 2: "²", 3: "³", 4: "⁴", 5: "⁵", 6: "⁶", 7: "⁷", 8: "⁸", 9: "⁹" };

/** A unit of UCUM as it is printed, as on the axes of plots: `Cel` is °C, `mm2` is mm². */
export const printedUnit = (code) =>
  PRINTED[code] ??
  code
    .replace(/[{}[\]]/g, "")
    .replace(/(?<=[a-zA-Z])-?[0-9]+/g, (power) => [...power].map((sign) => RAISED[sign]).join(""))
    .replaceAll(".", "·");

/** The label with its unit behind it, unless that stands in it as a word: `Mass (kg)` says kg, and not g. */
export const withUnit = ({ label, unit }) => {
  const words = label.split(/[\s()[\],]+/);
  return unit && !words.includes(unit) && !words.includes(printedUnit(unit)) ? `${label} (${printedUnit(unit)})` : label;
};
