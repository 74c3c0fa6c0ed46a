// One run as the server describes it: which frames there are, and which of them are broken.
import { bodyColors } from "./colors.js";

export class Run {
  constructor(index) {
    this.index = index;
    this.broken = new Map(); // frame -> what is wrong
    this.frames = [];
    this.summary = { status: "", error: "", warnings: [], frames: [], surfaces: [], fps: 24 };
    this.scene = null;
    this.visible = []; // per body
    this.shown = null; // the bundle on the screen
    this.shownFrame = null;
  }

  get title() {
    return this.summary.name || this.summary.folder || `run ${this.index + 1}`;
  }

  // True when frames were added or removed.
  update(summary) {
    const before = this.frames.length;
    const restarted = this.summary.scene_key !== undefined && (this.summary.scene_key !== summary.scene_key || this.last > (summary.frames.at(-1)?.[1] ?? -1));
    this.summary = summary;
    this.frames = summary.frames.flatMap(([first, last]) => Array.from({ length: last - first + 1 }, (_, i) => first + i));
    this.surfaceFrames = summary.surfaces.map((ranges) => ranges);
    if (restarted) this.broken.clear();
    return { grown: this.frames.length !== before, restarted };
  }

  setScene(scene) {
    this.scene = scene;
    try {
      scene.parsed = scene.text ? JSON.parse(scene.text) : null;
    } catch {
      scene.parsed = null;
    }
    this.colors = bodyColors(scene.bodies, scene.parsed?.materials);
    while (this.visible.length < scene.bodies.length) this.visible.push(true);
  }

  get last() {
    return this.frames.at(-1) ?? -1;
  }

  get end() {
    return Math.max(0, this.last) / this.summary.fps;
  }

  // The number of the frame that belongs to a time, whether it is there or not.
  number(time) {
    return Math.max(0, Math.floor(time * this.summary.fps + 1e-4));
  }

  // The frame that is there, at or before that time; the first one when all are later.
  frameAt(time) {
    if (!this.frames.length) return null;
    const wanted = this.number(time);
    let [first, last] = [0, this.frames.length];
    while (first < last) {
      const middle = (first + last) >> 1;
      if (this.frames[middle] <= wanted) first = middle + 1;
      else last = middle;
    }
    return this.frames[Math.max(0, first - 1)];
  }

  hasSurface(body, frame) {
    return (this.surfaceFrames?.[body] ?? []).some(([first, last]) => frame >= first && frame <= last);
  }

  get hasSurfaces() {
    return (this.surfaceFrames ?? []).some((ranges) => ranges.length > 0);
  }

  // Particle radius of a body [m]; for an unknown spacing, from the space that each particle has.
  radius(body, box, count) {
    const spacing = this.scene?.bodies[body]?.spacing;
    if (spacing > 0) return 0.56 * spacing;
    const size = [0, 1, 2].map((axis) => Math.max(1e-9, box[1][axis] - box[0][axis]));
    return 0.4 * Math.cbrt((size[0] * size[1] * size[2]) / Math.max(1, count));
  }
}
