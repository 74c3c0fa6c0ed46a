// The bar at the bottom: buttons, time line, clock.
import { by, count, element, number } from "./format.js";

const speeds = [0.05, 0.1, 0.25, 0.5, 1, 2, 4];

export class Timeline {
  constructor(viewer) {
    this.viewer = viewer;
    this.slider = by("time");
    this.canvas = by("track-canvas");
    by("speed").append(...speeds.map((speed) => element("option", { value: speed, selected: speed === 1 }, `${speed}×`)));
    by("speed").addEventListener("change", (event) => (viewer.speed = Number(event.target.value)));
    by("play").addEventListener("click", () => (viewer.playing ? viewer.pause() : viewer.play()));
    by("first").addEventListener("click", () => viewer.seek(0));
    by("last").addEventListener("click", () => viewer.seek(viewer.end));
    by("back").addEventListener("click", () => viewer.stepBy(-1));
    by("forward").addEventListener("click", () => viewer.stepBy(1));
    by("loop").addEventListener("click", () => this.toggleLoop());
    by("live").addEventListener("click", () => viewer.setFollow(!viewer.follow));
    this.slider.addEventListener("input", () => viewer.seek(Number(this.slider.value)));
    for (const name of ["frame", "clock", "runs", "playing", "loaded"]) viewer.on(name, () => this.update());
    new ResizeObserver(() => this.update()).observe(this.canvas);
  }

  toggleLoop() {
    this.viewer.loop = !this.viewer.loop;
    by("loop").setAttribute("aria-pressed", this.viewer.loop);
  }

  changeSpeed(by_steps) {
    const place = speeds.indexOf(this.viewer.speed) + by_steps;
    this.viewer.speed = speeds[Math.max(0, Math.min(speeds.length - 1, place))];
    by("speed").value = String(this.viewer.speed);
  }

  update() {
    const { viewer } = this;
    document.body.classList.toggle("playing", viewer.playing);
    by("play").setAttribute("aria-label", viewer.playing ? "Pause" : "Play");
    by("live").hidden = !viewer.live;
    by("live").setAttribute("aria-pressed", viewer.follow);
    const shown = Math.min(viewer.time, viewer.end);
    this.slider.max = String(viewer.end || 1);
    this.slider.value = String(shown);
    const run = viewer.runs[0];
    const frame = run?.frameAt(shown);
    const text = frame == null ? "no frames" : `frame ${count(frame)} of ${count(run.last)}`;
    this.slider.setAttribute("aria-valuetext", `${number(shown, 4)} seconds, ${text}`);
    by("clock").textContent = `${shown.toFixed(3)} s`;
    by("frame-number").textContent = text;
    this.draw();
  }

  // One row per run: frames that are there, those in memory, those that are broken or missing.
  draw() {
    const { viewer, canvas } = this;
    const width = canvas.clientWidth;
    const height = canvas.clientHeight;
    if (!width) return;
    const ratio = window.devicePixelRatio || 1;
    canvas.width = width * ratio;
    canvas.height = height * ratio;
    const context = canvas.getContext("2d");
    context.scale(ratio, ratio);
    const inset = 7; // half of the handle
    const rows = Math.max(1, viewer.runs.length);
    const thick = Math.max(3, Math.min(6, 18 / rows));
    const x = (time) => inset + (viewer.end > 0 ? time / viewer.end : 0) * (width - 2 * inset);
    viewer.runs.forEach((run, row) => {
      const y = height / 2 + (row - (rows - 1) / 2) * (thick + 2) - thick / 2;
      const fps = run.summary.fps;
      const cell = Math.max(1, x(1 / fps) - x(0));
      context.fillStyle = "#2c333d";
      context.beginPath();
      context.roundRect(x(0), y, Math.max(2, x(run.end) - x(0)), thick, thick / 2);
      context.fill();
      const kind = viewer.kind(run);
      context.fillStyle = "#47637c";
      for (const frame of run.frames) if (viewer.store.get(run.index, frame, kind)) context.fillRect(Math.max(x(0), x(frame / fps) - cell / 2), y, cell + 0.5, thick);
      context.fillStyle = "#5aa9e6";
      context.fillRect(x(0), y, Math.max(0, x(Math.min(viewer.time, run.end)) - x(0)), thick);
      context.fillStyle = "#ff7a66";
      for (const frame of run.broken.keys()) context.fillRect(x(frame / fps) - 1.5, y - 4, 3, thick + 8);
    });
  }
}
