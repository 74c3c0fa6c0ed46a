// The state of the page: runs, clock, what is shown and how; and what follows when one of them changes.
import { Box3, Vector2, Vector3 } from "three";
import { colorMapBytes } from "./colors.js";
import { Run } from "./run.js";
import { RunView, colorMapTexture, noSlice } from "./run_view.js";
import { Stage } from "./stage.js";
import { FrameStore } from "./store.js";

async function getJson(address) {
  const response = await fetch(address);
  if (!response.ok) throw new Error(`the server answers ${response.status}`);
  return response.json();
}

// Where the particles of a run are; null while there are none.
function boxOf({ survey, scene }) {
  if (!survey || !scene?.attributes.length) return null;
  return new Box3(new Vector3(...survey.minimum), new Vector3(...survey.maximum));
}

export class Viewer {
  constructor(canvas) {
    this.store = new FrameStore((entry, reply) => this.arrived(entry, reply), (run, points) => this.showSample(this.runs[run], points));
    this.listeners = new Map();
    this.runs = [];
    this.time = 0;
    this.playing = false;
    this.direction = 1;
    this.loop = true;
    this.speed = 1;
    this.follow = false;
    this.display = {
      color: "", map: "viridis", rangeMode: "run", manual: [0, 1], points: true, surfaces: false, colliders: true, size: 1,
      sliceAxis: "", slicePlace: 0.5, sliceFlip: false,
    };
    this.box = new Box3(new Vector3(-1, 0, -1), new Vector3(1, 1, 1));
    this.up = new Vector3(0, 1, 0);
    this.uniforms = {
      colorMap: { value: colorMapTexture(colorMapBytes("viridis")) }, shownRange: { value: new Vector2(0, 1) }, byAttribute: { value: 0 },
      sizeFactor: { value: 1 }, slice: { value: noSlice() },
    };
    this.stage = new Stage(canvas);
    // A view that nobody has turned yet stays framed.
    this.stage.onResized = () => {
      if (this.runs.length && !this.stage.touched) this.reframe();
      this.tell("frame");
    };
  }

  on(name, action) {
    this.listeners.set(name, [...(this.listeners.get(name) ?? []), action]);
  }

  tell(name) {
    for (const action of this.listeners.get(name) ?? []) action();
  }

  get end() {
    return Math.max(0, ...this.runs.map((run) => run.end));
  }

  get step() {
    return 1 / Math.max(1e-6, ...this.runs.map((run) => run.summary.fps));
  }

  get live() {
    return this.runs.some((run) => run.summary.status === "running");
  }

  async start() {
    const first = window.kneadFirst;
    const { runs } = await first.runs;
    this.runs = runs.map((_, i) => new Run(i));
    this.stage.views = this.runs.map(() => new RunView(this.uniforms));
    this.stage.draw(); // nothing yet, but the shaders are made ready while the frame comes
    this.runs.forEach((run, i) => run.update(runs[i]));
    this.follow = this.live;
    if (this.follow) this.time = this.end;
    // The first picture waits for nothing but its frame and the scene, which come side by side; nothing else is asked for before it is there.
    const firstFrame = new Promise((resolve) => {
      this.on("loaded", resolve);
      setTimeout(resolve, this.runs.some((run) => run.frames.length) ? 3000 : 0);
    });
    const [run] = this.runs;
    this.opening = !this.follow && run.frames.length > 0;
    if (this.opening) this.store.adopt({ run: 0, frame: run.frames[0], kind: this.kind(run) }, first.frame);
    this.want();
    await Promise.all(this.runs.map((one) => (one === run ? this.loadScene(run, first.scene, first.survey) : this.loadScene(one))));
    this.reframe();
    this.refresh();
    this.tell("runs");
    await firstFrame;
    this.showBodies(run); // the sizes of particles follow from how many there are
    await this.stage.painted();
    performance.mark("first-frame");
    this.opening = false;
    this.want();
    this.laws = await getJson("api/materials").catch(() => null);
    await Promise.all(this.runs.map((run) => this.loadDetails(run)));
    this.poll();
  }

  async loadScene(run, scene = getJson(`api/runs/${run.index}/scene`), survey = getJson(`api/runs/${run.index}/survey`)) {
    const surveyed = survey.catch(() => null);
    run.setScene(await scene);
    run.survey = await surveyed;
    run.surveyed = run.frames.length;
    this.showBodies(run);
  }

  async loadDetails(run) {
    try {
      const { colliders, warnings } = await getJson(`api/runs/${run.index}/colliders`);
      run.colliders = colliders;
      run.notes = warnings;
      run.tables = (await getJson(`api/runs/${run.index}/plots`)).tables;
    } catch (error) {
      run.notes = [`The details of this run could not be loaded: ${error.message}.`];
    }
    this.showColliders(run);
    this.refresh();
    this.tell("runs");
    this.tell("plots");
  }

  // Where rigid bodies are is known for the frames that are there: of a run that goes on, again and again.
  async loadPoses(run) {
    if (!run.colliders?.some((collider) => collider.rigid)) return;
    const { colliders } = await getJson(`api/runs/${run.index}/colliders`);
    run.colliders.forEach((collider, i) => {
      if (collider.rigid && colliders[i]?.name === collider.name) collider.poses = colliders[i].poses;
    });
  }

  // All runs fit into the box; the camera of the scene comes first.
  reframe(from) {
    const box = new Box3();
    for (const run of this.runs) box.union(boxOf(run) ?? new Box3());
    if (box.isEmpty()) box.set(new Vector3(-1, 0, -1), new Vector3(1, 1, 1));
    box.expandByScalar(0.02 * box.getSize(new Vector3()).length() + 1e-6);
    this.box = box;
    this.stage.box = box;
    const gravity = this.runs[0]?.scene?.parsed?.gravity;
    this.up = Array.isArray(gravity) && Math.abs(gravity[2]) > Math.abs(gravity[1]) ? new Vector3(0, 0, 1) : new Vector3(0, 1, 0);
    const camera = this.runs[0]?.scene?.camera;
    if (camera && !from) this.stage.look(new Vector3(...camera.position), new Vector3(...camera.target), camera.field_of_view, this.up);
    else this.stage.frame(box, this.up, from);
    this.applySlice();
  }

  showBodies(run) {
    const points = run.shown?.points;
    const count = Math.max(1, points ? points.count * points.share : (run.summary.particles ?? 1));
    const box = run.survey ? [run.survey.minimum, run.survey.maximum] : [[0, 0, 0], [1, 1, 1]];
    const bodies = run.scene.bodies.length ? run.scene.bodies : [{ name: "particles" }];
    if (!run.colors.length) run.colors = [[0.35, 0.66, 0.9]];
    this.stage.views[run.index].setBodies(bodies.map((_, b) => ({
      color: run.colors[b], radius: run.radius(b, box, count), visible: run.visible[b] ?? true,
    })));
    this.stage.draw();
  }

  showColliders(run) {
    this.stage.views[run.index].setColliders(run.colliders ?? [], boxOf(run) ?? this.box, this.up);
  }

  // What a frame consists of at present; bundles of different kinds are kept apart.
  kind(run) {
    const { color, points, surfaces } = this.display;
    const known = !color || (run.scene?.attributes.includes(color) ?? true);
    const withSurfaces = surfaces && run.hasSurfaces;
    const withPoints = points || !withSurfaces;
    const bodies = withSurfaces ? run.surfaceFrames.map((_, body) => body) : [];
    return {
      key: `${withPoints ? `p:${known ? color : ""}` : ""}/${withSurfaces ? "s" : ""}`, color: known ? color : "", points: withPoints, surfaces: bodies,
      hasSurface: (_, body, frame) => run.hasSurface(body, frame),
    };
  }

  // Frames wanted: the present one of every run, then those ahead in the direction of play, then a few behind.
  want() {
    if (this.opening) return;
    const list = [];
    const depth = this.playing ? this.store.depth(this.runs.length) : 4;
    const kinds = this.runs.map((run) => this.kind(run));
    const seen = new Set();
    const add = (time) => this.runs.forEach((run, i) => {
      const frame = run.frameAt(time);
      if (frame === null || seen.has(`${i}/${frame}`)) return;
      seen.add(`${i}/${frame}`);
      list.push({ run: i, frame, kind: kinds[i] });
    });
    add(this.time);
    const period = this.end + this.step;
    for (let ahead = 1; ahead <= depth; ++ahead) {
      let time = this.time + this.direction * ahead * this.step;
      if (this.loop) time = ((time % period) + period) % period;
      add(Math.max(0, Math.min(this.end, time)));
    }
    for (let behind = 1; behind <= 2; ++behind) add(Math.max(0, this.time - this.direction * behind * this.step));
    this.store.want(list);
  }

  // True when every run has what belongs to this time; a broken frame counts, since waiting does not mend it.
  ready(time) {
    return this.runs.every((run) => {
      const frame = run.frameAt(time);
      return frame === null || run.broken.has(frame) || this.store.get(run.index, frame, this.kind(run));
    });
  }

  // A sample of the first frame, until the whole is there.
  showSample(run, points) {
    run.shown = { points, surfaces: [] };
    run.shownFrame = points.index;
    this.stage.views[run.index].showPoints(points);
    this.stage.draw();
    this.tell("loaded");
  }

  arrived(entry, reply) {
    const run = this.runs[entry.run];
    if (reply.lost) return;
    if (reply.errors.length) run.broken.set(entry.frame, reply.errors.join(" "));
    this.refresh(false);
    this.tell("loaded");
  }

  // Shows what belongs to the present time, as far as it is there.
  refresh(ask = true) {
    for (const run of this.runs) {
      const frame = run.frameAt(this.time);
      const view = this.stage.views[run.index];
      if (frame === null) continue;
      const bundle = this.store.get(run.index, frame, this.kind(run));
      if (bundle && bundle !== run.shown && (bundle.points || bundle.surfaces.length)) {
        const first = !run.shown;
        run.shown = bundle;
        run.shownFrame = frame;
        view.showPoints(bundle.points);
        view.showSurfaces(bundle.surfaces);
        if (first && run.scene) this.showBodies(run);
      }
      view.poseColliders(frame, this.time);
      view.colliders.visible = this.display.colliders;
    }
    this.applyRange();
    if (ask) this.want();
    this.stage.draw();
    this.tell("frame");
  }

  // The range of values that the colours span.
  applyRange() {
    const { color, rangeMode, manual } = this.display;
    this.uniforms.byAttribute.value = color ? 1 : 0;
    if (!color) return;
    const ranges = this.runs.map((run) => (rangeMode === "run" ? run.survey?.attributes[color] : run.shown?.points?.usual)).filter(Boolean);
    let range = rangeMode === "manual" || !ranges.length ? manual : [Math.min(...ranges.map((r) => r[0])), Math.max(...ranges.map((r) => r[1]))];
    // Around zero in two directions: both sides get the same colours.
    if (this.display.map === "cool-warm" && rangeMode !== "manual" && range[0] < 0 && range[1] > 0) {
      const size = Math.max(-range[0], range[1]);
      range = [-size, size];
    }
    this.range = range;
    this.uniforms.shownRange.value.set(range[0], range[1] > range[0] ? range[1] : range[0] + 1e-6 * Math.max(1, Math.abs(range[0])));
  }

  applySlice() {
    const { sliceAxis, slicePlace, sliceFlip } = this.display;
    const slice = this.uniforms.slice.value;
    if (!sliceAxis) return slice.set(0, 0, 0, 1);
    const axis = "xyz".indexOf(sliceAxis);
    const place = this.sliceAt();
    const sign = sliceFlip ? -1 : 1;
    return slice.set(axis === 0 ? sign : 0, axis === 1 ? sign : 0, axis === 2 ? sign : 0, sign * place);
  }

  sliceAt() {
    const axis = this.display.sliceAxis;
    return this.box.min[axis] + this.display.slicePlace * (this.box.max[axis] - this.box.min[axis]);
  }

  // Changes something of `display` and shows it.
  set(changes) {
    Object.assign(this.display, changes);
    if ("map" in changes) {
      this.uniforms.colorMap.value.image.data.set(colorMapBytes(this.display.map));
      this.uniforms.colorMap.value.needsUpdate = true;
    }
    this.uniforms.sizeFactor.value = this.display.size;
    this.applySlice();
    this.refresh();
    this.tell("display");
  }

  setVisible(run, body, visible) {
    run.visible[body] = visible;
    this.showBodies(run);
    this.tell("display");
  }

  seek(time, keepFollow = false) {
    this.time = Math.min(this.end, Math.max(0, time));
    if (!keepFollow) this.follow = false;
    this.refresh();
  }

  // By whole frames of the run that has the most per second.
  stepBy(frames) {
    this.pause();
    this.direction = Math.sign(frames);
    const number = Math.round(this.time / this.step) + frames;
    this.seek(number * this.step);
  }

  play() {
    if (this.playing) return;
    if (!this.loop && this.time >= this.end - 1e-6) this.time = 0;
    this.playing = true;
    this.follow = false;
    this.direction = 1;
    this.lastTick = performance.now();
    this.want();
    this.tell("playing");
    requestAnimationFrame((now) => this.tick(now));
  }

  pause() {
    if (!this.playing) return;
    this.playing = false;
    this.stage.scale = this.stage.detail = 1;
    this.stage.draw();
    this.tell("playing");
  }

  tick(now) {
    if (!this.playing) return;
    const elapsed = Math.min(0.25, (now - this.lastTick) / 1000);
    this.lastTick = now;
    this.adapt(elapsed);
    let time = this.time + elapsed * this.speed;
    if (!this.loop) time = Math.min(time, this.end);
    else if (time > this.end + this.step) time %= this.end + this.step;
    this.waiting = !this.ready(time);
    if (!this.waiting) {
      const moved = this.runs.some((run) => run.frameAt(time) !== run.frameAt(this.time));
      this.time = time;
      if (moved) this.refresh();
      else this.tell("clock");
    } else {
      this.want();
      this.tell("clock");
    }
    if (!this.loop && this.time >= this.end) this.pause();
    requestAnimationFrame((next) => this.tick(next));
  }

  // A machine that cannot keep up gets coarser pictures while it plays: fewer pixels first, then fewer particles.
  adapt(elapsed) {
    const { stage } = this;
    this.pace = 0.9 * (this.pace ?? 0.016) + 0.1 * elapsed;
    if (this.pace > 0.045 && (stage.scale > 0.5 || stage.detail > 1 / 16)) {
      if (stage.scale > 0.5) stage.scale = Math.max(0.5, stage.scale - 0.1);
      else stage.detail /= 2;
      this.pace = 0.03;
    } else if (this.pace < 0.02 && (stage.scale < 1 || stage.detail < 1)) {
      if (stage.detail < 1) stage.detail *= 2;
      else stage.scale = Math.min(1, stage.scale + 0.05);
      this.pace = 0.03;
    }
  }

  setFollow(follow) {
    this.pause();
    this.follow = follow;
    if (follow) this.seek(this.end, true);
    this.tell("playing");
  }

  // Looks for new frames: often while a run goes on, seldom otherwise.
  async poll() {
    for (;;) {
      await new Promise((resolve) => setTimeout(resolve, this.live || this.runs.some((run) => !run.frames.length) ? 500 : 3000));
      if (document.hidden) continue;
      try {
        const { runs } = await getJson("api/runs");
        this.offline = false;
        for (let i = 0; i < this.runs.length; ++i) await this.look(this.runs[i], runs[i]);
      } catch {
        this.offline = true;
      }
      this.tell("runs");
    }
  }

  async look(run, summary) {
    const before = run.summary;
    const { grown, restarted } = run.update(summary);
    const changed = grown || restarted || before.status !== summary.status;
    if (summary.status === "running" && before.status !== "running" && !this.playing) this.follow = true;
    if (!changed && before.steps === summary.steps) return;
    if (restarted || before.scene_key !== summary.scene_key || (grown && !run.scene.attributes.length)) {
      this.store.forget(run.index);
      if (restarted) run.shown = null;
      await this.loadScene(run);
      await this.loadDetails(run);
      if (!this.stage.touched) this.reframe();
    } else if (grown && run.frames.length >= 1.5 * run.surveyed) {
      run.survey = await getJson(`api/runs/${run.index}/survey`);
      run.surveyed = run.frames.length;
      if (!this.stage.touched && !run.scene.camera) this.reframe();
      this.showColliders(run);
    }
    if (grown) await this.loadPoses(run);
    run.tables = (await getJson(`api/runs/${run.index}/plots`)).tables;
    this.tell("plots");
    if (this.follow && grown) this.seek(this.end, true);
    else if (changed) this.refresh();
  }
}
