// Numbers and elements as people read them.
export function number(value, digits = 3) {
  if (!Number.isFinite(value)) return "–";
  const size = Math.abs(value);
  if (size !== 0 && (size >= 1e5 || size < 1e-3)) return value.toExponential(digits - 1).replace("e+", "e");
  return String(Number(value.toPrecision(digits)));
}

export const count = (value) => Math.round(value).toLocaleString("en");

export function seconds(value) {
  if (value >= 3600) return `${number(value / 3600)} h`;
  if (value >= 60) return `${number(value / 60)} min`;
  return `${number(value)} s`;
}

export const bytes = (value) => (value >= 1e9 ? `${number(value / 1e9)} GB` : `${number(value / 1e6)} MB`);

export const by = (id) => document.getElementById(id);

// element("button", { class: "chip", onclick }, "text", child): text is never read as HTML.
export function element(tag, properties = {}, ...children) {
  const node = document.createElement(tag);
  for (const [key, value] of Object.entries(properties)) {
    if (key.startsWith("on")) node.addEventListener(key.slice(2), value);
    else if (value === true) node.setAttribute(key, "");
    else if (value !== false && value != null) node.setAttribute(key, value);
  }
  node.append(...children.filter((child) => child != null));
  return node;
}

const units = {
  position: "m", velocity: "m/s", density: "kg/m³", pressure: "Pa", von_mises: "Pa", stress: "Pa", C: "1/s", volume: "m³",
};
export const unitOf = (attribute) => units[attribute.split(".")[0]] ?? "";
export const labelOf = (attribute) => (attribute === "velocity" ? "speed" : attribute.replaceAll("_", " "));
