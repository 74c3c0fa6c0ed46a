// The scene of each run: facts of the run, its materials as cards, and its text.
import { bytes, count, element, number, seconds } from "./format.js";

// JSON with short lists on one line.
export function prettyJson(value, indent = "") {
  const flat = JSON.stringify(value);
  if (value === null || typeof value !== "object") return flat;
  const inner = `${indent}  `;
  if (Array.isArray(value)) {
    const simple = value.every((item) => item === null || typeof item !== "object");
    if (simple || (flat.length < 60 && value.every((item) => Array.isArray(item)))) return `[${value.map((item) => prettyJson(item)).join(", ")}]`;
    return `[\n${value.map((item) => inner + prettyJson(item, inner)).join(",\n")}\n${indent}]`;
  }
  const entries = Object.entries(value);
  if (flat.length < 72 && entries.every(([, item]) => item === null || typeof item !== "object" || (Array.isArray(item) && item.length <= 3)))
    return `{ ${entries.map(([key, item]) => `${JSON.stringify(key)}: ${prettyJson(item)}`).join(", ")} }`;
  return `{\n${entries.map(([key, item]) => `${inner}${JSON.stringify(key)}: ${prettyJson(item, inner)}`).join(",\n")}\n${indent}}`;
}

// Keys, strings and numbers in their own colours.
function highlighted(text) {
  const node = element("pre", { class: "scene-text", tabindex: "0", "aria-label": "Scene text" });
  const pattern = /("(?:[^"\\]|\\.)*")(\s*:)?|(-?\d[\d.eE+-]*)|\b(true|false|null)\b/g;
  let last = 0;
  for (const match of text.matchAll(pattern)) {
    node.append(text.slice(last, match.index));
    const kind = match[1] ? (match[2] ? "key" : "string") : "number";
    node.append(element("span", { class: `json-${kind}` }, match[1] ?? match[0]), match[2] ?? "");
    last = match.index + match[0].length;
  }
  node.append(text.slice(last));
  return node;
}

const valueText = (value) => {
  if (typeof value === "number") return number(value, 4);
  if (value?.keys) return `${number(value.keys[0][1])} → ${number(value.keys.at(-1)[1])} in time`;
  return typeof value === "object" ? JSON.stringify(value) : String(value);
};

function rows(object, parameters) {
  return Object.entries(object).filter(([key, value]) => key !== "type" && (typeof value !== "object" || value?.keys)).map(([key, value]) => {
    const about = parameters?.find((parameter) => parameter.name === key);
    return element("tr", { title: about?.text }, element("th", { scope: "row" }, key.replaceAll("_", " ")),
      element("td", {}, valueText(value), about?.unit ? element("small", {}, ` ${about.unit}`) : null));
  });
}

function materialCard(name, material, laws) {
  const parts = [["", material, laws?.material.find((law) => law.name === (material.type ?? "standard"))]];
  for (const kind of ["elasticity", "plasticity", "viscoelasticity"])
    if (material[kind]) parts.push([kind, material[kind], laws?.[kind]?.find((law) => law.name === material[kind].type)]);
  return element("article", { class: "card" }, element("h4", {}, name), ...parts.map(([kind, values, law]) => element("div", {},
    kind ? element("h5", { title: law?.text }, `${kind}: ${values.type?.replaceAll("_", " ") ?? ""}`) : null,
    element("table", {}, element("tbody", {}, ...rows(values, law?.parameters))))));
}

function facts(summary) {
  const pairs = [
    ["status", summary.status], ["particles", summary.particles && count(summary.particles)], ["steps", summary.steps && count(summary.steps)],
    ["computed in", summary.wall_seconds && seconds(summary.wall_seconds)],
    ["speed", summary.particle_steps_per_second && `${number(summary.particle_steps_per_second / 1e6)} M particle-steps/s`],
    ["memory", summary.peak_memory_bytes && bytes(summary.peak_memory_bytes)], ["threads", summary.threads], ["version", summary.version],
  ];
  return element("dl", { class: "facts" }, ...pairs.filter(([, value]) => value).flatMap(([key, value]) => [element("dt", {}, key), element("dd", {}, String(value))]));
}

export function showScenes(node, runs, laws) {
  node.replaceChildren(...runs.map((run) => {
    const section = element("section", { class: "scene-run" }, element("h3", {}, run.title), facts(run.summary));
    for (const text of [run.summary.error, ...run.summary.warnings].filter(Boolean)) section.append(element("p", { class: "problem" }, text));
    const scene = run.scene?.parsed;
    if (!scene) {
      section.append(element("p", { class: "hint" }, "There is no scene to show."));
      return section;
    }
    const cards = Object.entries(scene.materials ?? {}).map(([name, material]) => materialCard(name, material, laws));
    const text = prettyJson(scene);
    const copy = element("button", { class: "small", onclick: async () => {
      await navigator.clipboard.writeText(text);
      copy.textContent = "Copied";
    } }, "Copy");
    section.append(element("h4", {}, "Materials"), element("div", { class: "cards" }, ...cards),
      element("div", { class: "row" }, element("h4", {}, "Scene, with all defaults"), copy), highlighted(text));
    return section;
  }));
}
