// The page: makes the parts and connects them.
import { Vector3 } from "three";
import { Controls } from "./controls.js";
import { by } from "./format.js";
import { PlotPanel } from "./plots.js";
import { showScenes } from "./scene_panel.js";
import { Timeline } from "./timeline.js";
import { Viewer } from "./viewer.js";

let viewer;
try {
  viewer = new Viewer(by("canvas"));
} catch (error) {
  by("message").textContent = `This browser cannot draw in three dimensions (WebGL 2): ${error.message}`;
  throw error;
}
const timeline = new Timeline(viewer);
const controls = new Controls(viewer);
const plots = new PlotPanel(by("plots"), (time) => viewer.seek(time));

viewer.on("plots", () => plots.set(viewer.runs.map((run) => run.tables ?? []), viewer.runs.map((run) => run.title)));
for (const name of ["frame", "clock"]) viewer.on(name, () => plots.draw(Math.min(viewer.time, viewer.end)));

let sceneKey = "";
viewer.on("runs", () => {
  const key = JSON.stringify([viewer.laws !== undefined, ...viewer.runs.map((run) => [run.summary.scene_key, run.summary.status, run.summary.warnings, run.summary.steps])]);
  if (key !== sceneKey) showScenes(by("scene"), viewer.runs, viewer.laws);
  sceneKey = key;
});

const tabs = [...document.querySelectorAll('[role="tab"]')];
function choose(tab, focus) {
  for (const other of tabs) {
    const chosen = other === tab;
    other.setAttribute("aria-selected", chosen);
    other.tabIndex = chosen ? 0 : -1;
    by(other.getAttribute("aria-controls")).hidden = !chosen;
  }
  if (focus) tab.focus();
  plots.draw();
}
for (const tab of tabs) {
  tab.addEventListener("click", () => choose(tab));
  tab.addEventListener("keydown", (event) => {
    const turn = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!turn) return;
    event.preventDefault();
    event.stopPropagation();
    choose(tabs[(tabs.indexOf(tab) + turn + tabs.length) % tabs.length], true);
  });
}

function togglePanel(show = document.body.classList.contains("no-panel")) {
  document.body.classList.toggle("no-panel", !show);
  by("panel-button").setAttribute("aria-expanded", show);
  plots.draw();
}
by("panel-button").addEventListener("click", () => togglePanel());
by("panel-close").addEventListener("click", () => {
  togglePanel(false);
  by("panel-button").focus();
});
if (window.matchMedia("(max-width: 820px)").matches) togglePanel(false);

async function saveScreenshot() {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(await viewer.stage.screenshot());
  link.download = `${(viewer.runs[0]?.summary.folder ?? "knead").replace(/[^\w-]+/g, "_")}_${viewer.time.toFixed(3)}s.png`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

by("screenshot").addEventListener("click", saveScreenshot);
by("frame-all").addEventListener("click", () => viewer.reframe());
by("help-button").addEventListener("click", () => by("help").showModal());

const lookAlong = { x: [1, 0.001, 0], y: [0.001, 1, 0.001], z: [0, 0.001, 1] };
const keys = {
  " ": () => (viewer.playing ? viewer.pause() : viewer.play()),
  ArrowRight: (event) => viewer.stepBy(event.ctrlKey ? 10 : 1),
  ArrowLeft: (event) => viewer.stepBy(event.ctrlKey ? -10 : -1),
  Home: () => viewer.seek(0),
  End: () => viewer.seek(viewer.end),
  "<": () => timeline.changeSpeed(-1),
  ">": () => timeline.changeSpeed(1),
  "+": () => viewer.stage.zoom(0.87),
  "=": () => viewer.stage.zoom(0.87),
  "-": () => viewer.stage.zoom(1.15),
  "?": () => by("help").showModal(),
  f: () => viewer.reframe(),
  c: () => controls.nextColor(),
  l: () => timeline.toggleLoop(),
  s: saveScreenshot,
  p: () => togglePanel(),
  ...Object.fromEntries(Object.entries(lookAlong).map(([key, from]) => [key, () => viewer.reframe(new Vector3(...from))])),
};
const orbits = { ArrowLeft: [-0.1, 0], ArrowRight: [0.1, 0], ArrowUp: [0, -0.1], ArrowDown: [0, 0.1] };

// Controls keep the keys that they use themselves; the time line leaves its arrows to us, so that they mean whole frames.
function keepsKey(target, key) {
  if (target.id === "time") return false;
  if (target.matches("select, input[type=number], textarea")) return true;
  if (target.matches("input[type=range]")) return key.startsWith("Arrow") || key === "Home" || key === "End";
  return key === " " && target.matches("button, input, a, summary");
}

document.addEventListener("keydown", (event) => {
  if (event.altKey || event.metaKey || by("help").open || keepsKey(event.target, event.key)) return;
  if (event.ctrlKey && !event.key.startsWith("Arrow")) return;
  const digit = /^[1-9]$/.test(event.key) ? Number(event.key) - 1 : -1;
  const orbit = event.shiftKey && orbits[event.key];
  if (orbit) viewer.stage.orbit(...orbit);
  else if (keys[event.key]) keys[event.key](event);
  else if (digit >= 0) viewer.runs.forEach((run) => digit < run.visible.length && viewer.setVisible(run, digit, !run.visible[digit]));
  else return;
  event.preventDefault();
});

viewer.start().catch((error) => {
  by("message").textContent = `The runs could not be loaded: ${error.message}.`;
  console.warn(error);
});
window.knead = viewer; // for tests, and for the curious
