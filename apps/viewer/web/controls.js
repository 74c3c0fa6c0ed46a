// The side panel's controls, the labels over the pictures, the legend and the notes.
import { colorMaps, cssColor, cssGradient } from "./colors.js";
import { by, count, element, labelOf, number, seconds, unitOf } from "./format.js";

export class Controls {
  constructor(viewer) {
    this.viewer = viewer;
    by("color-map").append(...colorMaps.map((name) => element("option", { value: name }, name)));
    const bind = (id, event, change) => by(id).addEventListener(event, (happening) => viewer.set(change(happening.target)));
    bind("color", "change", (target) => ({ color: target.value }));
    bind("color-map", "change", (target) => ({ map: target.value }));
    bind("range-mode", "change", (target) => ({ rangeMode: target.value, manual: viewer.range ?? [0, 1] }));
    bind("range-low", "change", () => this.manualRange());
    bind("range-high", "change", () => this.manualRange());
    bind("show-points", "change", (target) => ({ points: target.checked }));
    bind("show-surfaces", "change", (target) => ({ surfaces: target.checked }));
    bind("show-colliders", "change", (target) => ({ colliders: target.checked }));
    bind("size", "input", (target) => ({ size: Number(target.value) }));
    bind("slice-axis", "change", (target) => ({ sliceAxis: target.value }));
    bind("slice-place", "input", (target) => ({ slicePlace: Number(target.value) }));
    bind("slice-flip", "change", (target) => ({ sliceFlip: target.checked }));
    viewer.on("runs", () => this.updateRuns());
    viewer.on("display", () => this.updateDisplay());
    viewer.on("frame", () => this.updateFrame());
    viewer.on("clock", () => this.updateMessage());
    viewer.on("loaded", () => this.updateFrame());
  }

  manualRange() {
    const values = ["range-low", "range-high"].map((id) => by(id).valueAsNumber);
    return { rangeMode: "manual", manual: values.map((value, i) => (Number.isFinite(value) ? value : (this.viewer.range ?? [0, 1])[i])) };
  }

  nextColor() {
    const { options } = by("color");
    const next = (by("color").selectedIndex + 1) % options.length;
    this.viewer.set({ color: options[next].value });
  }

  updateRuns() {
    const { runs } = this.viewer;
    by("titles").textContent = runs.map((run) => run.title).join("  ·  ");
    document.title = runs.length ? `${runs.map((run) => run.title).join(", ")} – knead` : "knead";
    const attributes = [...new Set(runs.flatMap((run) => run.scene?.attributes ?? []))];
    const key = attributes.join();
    if (key !== this.attributes) {
      this.attributes = key;
      const main = attributes.filter((name) => !name.includes(".") && name !== "id");
      const more = attributes.filter((name) => !main.includes(name));
      const option = (name) => element("option", { value: name }, labelOf(name));
      by("color").replaceChildren(element("option", { value: "" }, "body"), ...main.map(option), element("optgroup", { label: "more" }, ...more.map(option)));
    }
    this.updateDisplay();
  }

  updateBodies() {
    const { viewer } = this;
    const key = viewer.runs.map((run) => (run.scene?.bodies ?? []).map((body) => body.name + body.material).join()).join("|");
    if (key === this.bodies) return;
    this.bodies = key;
    by("bodies").replaceChildren(...viewer.runs.flatMap((run) => [
      viewer.runs.length > 1 ? element("div", { class: "body-run" }, run.title) : null,
      ...(run.scene?.bodies ?? []).map((body, b) => {
        const box = element("input", { type: "checkbox", checked: run.visible[b], onchange: () => viewer.setVisible(run, b, box.checked) });
        const swatch = element("i");
        swatch.style.background = cssColor(run.colors[b]);
        return element("label", { class: "body" }, box, swatch, body.name, element("span", { class: "material" }, body.material));
      }),
    ].filter(Boolean)));
    if (!by("bodies").children.length) by("bodies").append(element("p", { class: "hint" }, "None are known yet."));
  }

  updateDisplay() {
    this.updateBodies();
    const { viewer } = this;
    const { display } = viewer;
    by("color").value = display.color;
    by("color-options").hidden = !display.color;
    by("color-map").value = display.map;
    by("range-mode").value = display.rangeMode;
    by("show-points").checked = display.points;
    by("show-surfaces").checked = display.surfaces;
    by("show-colliders").checked = display.colliders;
    const surfaces = viewer.runs.some((run) => run.hasSurfaces);
    by("show-surfaces").disabled = !surfaces;
    by("show-surfaces").parentElement.title = surfaces ? "" : "There are none yet: knead surface DIR makes them.";
    by("size-value").textContent = `${number(display.size)}×`;
    by("slice-options").hidden = !display.sliceAxis;
    if (display.sliceAxis) by("slice-value").textContent = `${number(viewer.sliceAt())} m`;
    const boxes = by("bodies").querySelectorAll("input");
    viewer.runs.flatMap((run) => (run.scene?.bodies ?? []).map((_, b) => run.visible[b])).forEach((visible, i) => (boxes[i].checked = visible));
    this.updateFrame();
  }

  updateFrame() {
    const { viewer } = this;
    const { color, map } = viewer.display;
    by("legend").hidden = !color;
    if (color) {
      const unit = unitOf(color);
      by("legend-title").textContent = `${labelOf(color)}${unit ? ` [${unit}]` : ""}`;
      by("legend-bar").style.background = cssGradient(map);
      const [low, high] = viewer.range;
      by("legend-ticks").replaceChildren(...[low, (low + high) / 2, high].map((value) => element("span", {}, number(value))));
      for (const [id, value] of [["range-low", low], ["range-high", high]])
        if (document.activeElement !== by(id)) by(id).value = String(Number(value.toPrecision(5)));
    }
    this.updateLabels();
    this.updateNotes();
    this.updateMessage();
  }

  updateLabels() {
    const { viewer } = this;
    const places = viewer.stage.layout();
    by("labels").replaceChildren(...viewer.runs.map((run, i) => {
      const [x, y, w, h] = places[i];
      const { status } = run.summary;
      const frame = run.frameAt(viewer.time);
      const points = run.shown?.points;
      const particles = points?.share === 1 ? points.count : null; // a sample does not know
      const parts = [particles != null ? `${count(particles)} particles` : "", this.statusText(run)].filter(Boolean);
      const label = element("div", { class: `${x > 0 ? "divided-left " : ""}${y > 0 ? "divided-top" : ""}` },
        element("strong", {}, run.title), element("span", { class: `status ${status}` }, status), element("div", { class: "sub" }, parts.join(" · ")));
      if (run.summary.error) label.append(element("div", { class: "note" }, `The run failed: ${run.summary.error}`));
      if (!run.frames.length) label.append(element("div", { class: "note plain" }, run.summary.warnings[0] ?? "No frame has been written yet."));
      if (frame !== null && run.broken.has(frame))
        label.append(element("div", { class: "note" }, `Frame ${frame} is skipped: ${run.broken.get(frame)}`));
      else if (frame !== null && viewer.time <= run.end && frame !== run.number(viewer.time))
        label.append(element("div", { class: "note" }, `Frame ${run.number(viewer.time)} is missing; frame ${frame} is shown.`));
      Object.assign(label.style, { left: `${100 * x}%`, top: `${100 * y}%`, width: `${100 * w}%`, height: `${100 * h}%` });
      return label;
    }));
  }

  statusText(run) {
    const { summary } = run;
    if (summary.status !== "running") return "";
    const planned = summary.frames_planned ? `${Math.max(0, run.last)} of ${summary.frames_planned} frames` : "";
    const quiet = summary.quiet_seconds > 30 ? `nothing new for ${seconds(summary.quiet_seconds)}` : "";
    return [planned, quiet].filter(Boolean).join(", ");
  }

  updateNotes() {
    const several = this.viewer.runs.length > 1;
    const notes = this.viewer.runs.flatMap((run) => [
      ...run.summary.warnings, ...(run.notes ?? []), ...[...run.broken].sort((a, b) => a[0] - b[0]).map(([frame, text]) => `Frame ${frame} is skipped: ${text}`),
    ].map((text) => (several ? `${run.title}: ${text}` : text)));
    by("notes-box").hidden = !notes.length;
    const key = notes.join("\n");
    if (key === this.notes) return;
    this.notes = key;
    by("notes").replaceChildren(...notes.map((text) => element("li", {}, text)));
  }

  updateMessage() {
    const { viewer } = this;
    const loading = viewer.runs.some((run) => run.frames.length && !run.shown && !run.broken.has(run.frameAt(viewer.time)));
    by("message").textContent = viewer.offline ? "knead view has ended" : loading || (viewer.playing && viewer.waiting) ? "loading …" : "";
  }
}
