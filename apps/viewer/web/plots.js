// Small line plots over time, drawn on canvases, with a cursor at the time that is shown.
import { element, number } from "./format.js";

const lineColors = ["#5aa9e6", "#f2c14e", "#e4572e", "#54b66f", "#b48be8", "#e88bb3", "#4cc9c0", "#b9d44c", "#c9784a", "#9aa7b4"];
const dashes = [[], [6, 3], [2, 3], [8, 3, 2, 3]];
const margin = { left: 46, right: 10, top: 8, bottom: 20 };

// Steps of 1, 2 or 5 times a power of ten, about `count` of them.
export function niceTicks(low, high, count) {
  const rough = (high - low) / count;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((size) => size >= rough);
  const ticks = [];
  for (let tick = Math.ceil(low / step) * step; tick <= high + 1e-9 * step; tick += step) ticks.push(Math.abs(tick) < 1e-9 * step ? 0 : tick);
  return ticks;
}

class Plot {
  constructor(title, unit, lines, seek, runNames) {
    this.title = title;
    this.lines = lines; // { name, run, time, values, color, dash, shown }
    this.seek = seek;
    this.canvas = element("canvas", { class: "plot", role: "img", tabindex: "-1", "aria-label": `${title} over time` });
    this.canvas.addEventListener("pointerdown", (event) => this.point(event, true));
    this.canvas.addEventListener("pointermove", (event) => event.buttons && this.point(event, false));
    const names = [...new Set(lines.map((line) => line.name))];
    this.values = new Map(names.map((name) => [name, element("output")]));
    const legend = element("div", { class: "legend-row" }, ...names.map((name) => {
      const line = lines.find((other) => other.name === name);
      const box = element("input", { type: "checkbox", checked: line.shown, onchange: () => {
        for (const other of lines) if (other.name === name) other.shown = box.checked;
        this.draw();
      } });
      const swatch = element("i");
      swatch.style.background = line.color;
      return element("label", { class: "legend-item" }, box, swatch, name, this.values.get(name));
    }));
    this.node = element("section", { class: "plot-card" },
      element("h3", {}, title, unit ? element("small", {}, ` ${unit}`) : null), this.canvas, legend,
      new Set(lines.map((line) => line.run)).size > 1 ? element("p", { class: "hint" }, runNames.map((name, i) => `${["solid", "dashed", "dotted", "dash-dot"][i % 4]}: ${name}`).join(" · ")) : null);
  }

  point(event, capture) {
    if (capture) this.canvas.setPointerCapture(event.pointerId);
    if (!this.scale) return;
    const x = event.clientX - this.canvas.getBoundingClientRect().left;
    const { t0, t1, width } = this.scale;
    this.seek(t0 + ((x - margin.left) / (width - margin.left - margin.right)) * (t1 - t0));
  }

  limits() {
    let [t0, t1, low, high] = [Infinity, -Infinity, Infinity, -Infinity];
    for (const line of this.lines) {
      if (!line.time.length) continue;
      t0 = Math.min(t0, line.time[0]);
      t1 = Math.max(t1, line.time[line.time.length - 1]);
      if (!line.shown) continue;
      const [least, greatest] = span(line);
      low = Math.min(low, least);
      high = Math.max(high, greatest);
    }
    if (!(t1 > t0)) t1 = t0 + 1;
    if (low > high) [low, high] = [0, 1];
    if (low === high) [low, high] = low === 0 ? [0, 1] : [Math.min(0, low), Math.max(0, high)];
    if (low > 0 && low < 0.4 * high) low = 0;
    return { t0, t1, low, high: high + 0.04 * (high - low) };
  }

  draw(time = this.time) {
    this.time = time;
    const width = this.canvas.clientWidth;
    const height = this.canvas.clientHeight;
    if (!width) return;
    const ratio = window.devicePixelRatio || 1;
    this.canvas.width = width * ratio;
    this.canvas.height = height * ratio;
    const context = this.canvas.getContext("2d");
    context.scale(ratio, ratio);
    const { t0, t1, low, high } = this.limits();
    this.scale = { t0, t1, width };
    const x = (t) => margin.left + ((t - t0) / (t1 - t0)) * (width - margin.left - margin.right);
    const y = (v) => height - margin.bottom - ((v - low) / (high - low)) * (height - margin.top - margin.bottom);
    this.drawAxes(context, { t0, t1, low, high, x, y, width, height });
    context.save();
    context.beginPath();
    context.rect(margin.left, 0, width - margin.left - margin.right, height - margin.bottom + 1);
    context.clip();
    for (const line of this.lines) if (line.shown) drawLine(context, line, x, y);
    context.restore();
    if (time >= t0 && time <= t1) {
      context.fillStyle = "#fff";
      context.fillRect(Math.round(x(time)), margin.top - 4, 1, height - margin.bottom - margin.top + 4);
    }
    for (const [name, output] of this.values) {
      const shown = this.lines.filter((line) => line.name === name).map((line) => number(valueAt(line, time)));
      output.textContent = shown.join(" | ");
    }
  }

  drawAxes(context, { t0, t1, low, high, x, y, width, height }) {
    context.font = "10px system-ui, sans-serif";
    context.fillStyle = "#8b95a3";
    context.strokeStyle = "#2a3038";
    context.textAlign = "right";
    context.textBaseline = "middle";
    for (const tick of niceTicks(low, high, 4)) {
      context.beginPath();
      context.moveTo(margin.left, Math.round(y(tick)) + 0.5);
      context.lineTo(width - margin.right, Math.round(y(tick)) + 0.5);
      context.stroke();
      context.fillText(number(tick), margin.left - 5, y(tick));
    }
    context.textAlign = "center";
    context.textBaseline = "top";
    for (const tick of niceTicks(t0, t1, Math.max(2, width / 80))) context.fillText(`${number(tick)} s`, Math.min(x(tick), width - 16), height - margin.bottom + 6);
  }
}

// What a line covers: all of its values, but of single peaks in a long run only those that are not the rarest hundredth.
function span(line) {
  const sorted = (values, part) => {
    const numbers = values.filter((value) => value != null).sort((a, b) => a - b);
    return numbers[Math.round(part * (numbers.length - 1))];
  };
  const numbers = line.values.filter((value) => value != null);
  const least = numbers.reduce((a, b) => Math.min(a, b), Infinity);
  const greatest = numbers.reduce((a, b) => Math.max(a, b), -Infinity);
  if (!line.low || !numbers.length) return [least, greatest];
  return [Math.min(least, sorted(line.low, 0.05)), Math.max(greatest, sorted(line.high, 0.9))];
}

function drawLine(context, line, x, y) {
  if (line.low) {
    context.fillStyle = `${line.color}38`;
    line.low.forEach((low, i) => {
      if (low == null) return;
      const right = x(line.time[Math.min(i + 1, line.time.length - 1)]);
      context.fillRect(x(line.time[i]), y(line.high[i]), Math.max(1, right - x(line.time[i])), Math.max(0, y(low) - y(line.high[i])));
    });
  }
  context.strokeStyle = line.color;
  context.lineWidth = 1.4;
  context.setLineDash(line.dash);
  context.beginPath();
  let open = false;
  line.values.forEach((value, i) => {
    if (value == null) open = false;
    else if (open) context.lineTo(x(line.time[i]), y(value));
    else context.moveTo(x(line.time[i]), y(value)), (open = true);
  });
  context.stroke();
  context.setLineDash([]);
}

// The last value that is not later than `time`.
function valueAt(line, time) {
  let [first, last] = [0, line.time.length];
  while (first < last) {
    const middle = (first + last) >> 1;
    if (line.time[middle] <= time + 1e-9) first = middle + 1;
    else last = middle;
  }
  return first > 0 ? line.values[first - 1] : NaN;
}

// Which columns make a plot: [title, unit, column names, names shown].
function plotsOfTable(table) {
  const names = table.columns.map((column) => column.name);
  if (table.name !== "stats") {
    const title = table.name.replace(/^probe /, "").replaceAll("_", " ");
    return [[title[0].toUpperCase() + title.slice(1), "", names, (name) => name]];
  }
  const plots = [];
  const phases = names.filter((name) => name.endsWith("_ms"));
  plots.push(["Time per step, by phase", "ms", phases, (name) => (name === "wall_ms" ? "all" : name.slice(0, -3))]);
  plots.push(["Time step", "s", names.filter((name) => name === "dt"), (name) => name]);
  const varies = (name) => {
    const { values } = table.columns.find((column) => column.name === name);
    return values.some((value) => value !== values[0]);
  };
  const rest = names.filter((name) => !name.endsWith("_ms") && !["dt", "step"].includes(name) && varies(name));
  for (const name of rest) plots.push([name[0].toUpperCase() + name.slice(1).replaceAll("_", " "), "", [name], (other) => other.replaceAll("_", " ")]);
  return plots.filter(([, , columns]) => columns.length);
}

export class PlotPanel {
  constructor(node, seek) {
    this.node = node;
    this.seek = seek;
    this.plots = [];
    new ResizeObserver(() => this.draw()).observe(node);
  }

  // tables: per run the list that the server sends.
  set(tables, runNames) {
    const hidden = new Set(this.plots.flatMap((plot) => plot.lines.filter((line) => !line.shown).map((line) => `${plot.title}/${line.name}`)));
    const found = new Map();
    tables.forEach((list, run) => {
      for (const table of list) {
        for (const [title, unit, columns, label] of plotsOfTable(table)) {
          if (!found.has(title)) found.set(title, { unit, lines: [] });
          const { lines } = found.get(title);
          columns.forEach((column) => {
            const name = label(column);
            const known = [...new Set(lines.map((line) => line.name))];
            const place = known.includes(name) ? known.indexOf(name) : known.length;
            const { values, low, high } = table.columns.find((other) => other.name === column);
            lines.push({
              name, run, time: table.time, values, low, high,
              color: lineColors[place % lineColors.length], dash: dashes[run % dashes.length], shown: !hidden.has(`${title}/${name}`),
            });
          });
        }
      }
    });
    this.plots = [...found].map(([title, { unit, lines }]) => new Plot(title, unit, lines, this.seek, runNames));
    const limits = tables.map((list, run) => limitText(list.find((table) => table.name === "stats"), runNames.length > 1 ? runNames[run] : "")).filter(Boolean);
    this.node.replaceChildren(...this.plots.map((plot) => plot.node), ...limits.map((text) => element("p", { class: "hint" }, text)));
    if (!this.plots.length) this.node.replaceChildren(element("p", { class: "hint" }, "There is nothing to plot yet: no step has been recorded."));
    this.draw();
  }

  draw(time = this.time) {
    this.time = time;
    if (this.node.offsetParent !== null) for (const plot of this.plots) plot.draw(time);
  }
}

function limitText(stats, runName) {
  const rules = Object.entries(stats?.limit_rule ?? {});
  if (!rules.length) return "";
  const all = rules.reduce((sum, [, steps]) => sum + steps, 0);
  const shares = rules.sort((a, b) => b[1] - a[1]).map(([rule, steps]) => `${rule || "none"} ${Math.round((100 * steps) / all)} %`);
  return `${runName ? `${runName}: t` : "T"}he time step was limited by ${shares.join(", ")}.`;
}

