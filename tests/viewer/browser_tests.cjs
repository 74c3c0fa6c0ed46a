// The page in a real browser: browser_tests.cjs KNEAD FOLDER. Each test is a sentence; FOLDER is for the runs that they look at.
// With arguments after FOLDER only tests whose name contains one of them.
const assert = require("node:assert/strict");
const { spawn, execFileSync } = require("node:child_process");
const fs = require("node:fs");
const path = require("node:path");
const { chromium } = require("playwright-core");

const [knead, folder, ...chosen] = process.argv.slice(2);
const flags = ["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--disable-quic", "--no-first-run",
  "--disable-background-networking", "--disable-component-update", "--disable-sync"];
const run = (name) => path.join(folder, name);

function scene(changes = {}) {
  return {
    knead: 1, name: "two blocks", duration: 0.4, fps: 30, solver: { type: "mpm", dx: 0.05 },
    materials: {
      jelly: { density: 1000, elasticity: { type: "neo_hookean", youngs_modulus: 2e4, poisson_ratio: 0.3 } },
      water: { density: 1000, elasticity: { type: "eos", bulk_modulus: 2e4 }, viscosity: 0.1 },
    },
    bodies: [
      { name: "block", material: "jelly", color: [0.9, 0.2, 0.1], shape: { type: "box", min: [0, 0.3, 0], max: [0.25, 0.55, 0.25] } },
      { name: "pool", material: "water", color: [0.1, 0.3, 0.9], shape: { type: "box", min: [-0.2, 0.02, -0.1], max: [0.45, 0.12, 0.35] } },
    ],
    colliders: [
      { name: "floor", shape: { type: "plane", point: [0, 0, 0], normal: [0, 1, 0] }, contact: "separate" },
      { name: "ball", shape: { type: "sphere", center: [0.7, 0.1, 0.1], radius: 0.1 }, motion: { velocity: [0, 0.2, 0] } },
    ],
    probes: [{ name: "energy", type: "energy" }],
    ...changes,
  };
}

function simulate(name, changes) {
  const file = run(`${name}.json`);
  fs.writeFileSync(file, JSON.stringify(scene(changes)));
  execFileSync(knead, ["run", file, "-o", run(name), "--quiet"]);
}

function changed(name, change) {
  fs.cpSync(run("first"), run(name), { recursive: true });
  const file = path.join(run(name), "run.json");
  const json = JSON.parse(fs.readFileSync(file, "utf8"));
  change(json, run(name));
  fs.writeFileSync(file, JSON.stringify(json));
}

const frameFile = (directory, index) => path.join(directory, "frames", `frame_${String(index).padStart(6, "0")}.ply`);

function makeRuns() {
  simulate("first");
  simulate("second", { name: "faster", gravity: [0, -30, 0] });
  changed("broken", (_, directory) => {
    fs.truncateSync(frameFile(directory, 5), 3000);
    fs.rmSync(frameFile(directory, 8));
  });
  changed("failed", (json) => Object.assign(json, { status: "failed", error: "the time step became too small in body block" }));
  changed("other", (json) => Object.assign(json, { version: "9.9.9", scene: { knead: 99, name: "from the future", bodies: [{ spin: 1 }] } }));
  changed("surfaces", (_, directory) => {
    fs.mkdirSync(path.join(directory, "surface", "block"), { recursive: true });
    const mesh = `ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty float y\nproperty float z\nelement face 4
property list uchar int vertex_indices\nend_header\n0 0.1 0\n0.4 0.1 0\n0 0.6 0\n0 0.1 0.4\n3 0 2 1\n3 0 1 3\n3 0 3 2\n3 1 2 3\n`;
    fs.writeFileSync(path.join(directory, "surface", "block", "frame_000000.ply"), mesh);
  });
  fs.mkdirSync(run("empty"));
  fs.mkdirSync(run("live"));
}

async function serve(names) {
  const server = spawn(knead, ["view", ...names.map(run)], { stdio: ["ignore", "pipe", "ignore"] });
  const address = await new Promise((resolve, reject) => {
    server.stdout.once("data", (data) => resolve(String(data).trim()));
    server.once("exit", (code) => reject(new Error(`knead view ended with ${code}`)));
  });
  return { server, address };
}

const tests = [];
const test = (name, runs, body, options = {}) => tests.push({ name, runs, body, options });

// A small copy of the canvas: mean colour, and how many of its pixels have one.
const look = (page) => page.evaluate(() => {
  const { stage } = window.knead;
  stage.render();
  const copy = document.createElement("canvas");
  copy.width = 200;
  copy.height = 120;
  const context = copy.getContext("2d", { willReadFrequently: true });
  context.drawImage(stage.canvas, 0, 0, 200, 120);
  const { data } = context.getImageData(0, 0, 200, 120);
  const seen = { colored: 0, red: 0, blue: 0, bytes: [] };
  for (let i = 0; i < data.length; i += 4) {
    const [r, g, b] = [data[i], data[i + 1], data[i + 2]];
    if (Math.max(r, g, b) - Math.min(r, g, b) > 60) ++seen.colored;
    if (r > 2 * g && r > 2 * b) ++seen.red;
    if (b > 1.5 * r && b > 60) ++seen.blue;
    seen.bytes.push(r, g, b);
  }
  return seen;
});
const difference = (a, b) => a.bytes.filter((byte, i) => Math.abs(byte - b.bytes[i]) > 16).length;

const shown = (page, frame, which = 0) => page.waitForFunction(([f, w]) => window.knead.runs[w].shownFrame === f, [frame, which]);
const text = (page, selector) => page.locator(selector).innerText();

test("a run is shown as soon as the page is open", ["first"], async (page) => {
  const seen = await look(page);
  assert.ok(seen.red > 100 && seen.blue > 100, `both bodies are seen: ${seen.red} red, ${seen.blue} blue pixels`);
  assert.match(await text(page, "#labels"), /two blocks[\s\S]*finished[\s\S]*particles/);
  assert.equal(await text(page, "#frame-number"), "frame 0 of 12");
});

test("playing moves the time, and pausing stops it", ["first"], async (page) => {
  const before = await look(page);
  await page.click("#play");
  // At once, in the page: on a slow machine the clock could come round to the beginning before a click arrives.
  await page.waitForFunction(() => {
    if (window.knead.time <= 0.2) return false;
    document.querySelector("#play").click();
    return true;
  });
  const time = await page.evaluate(() => window.knead.time);
  await page.waitForTimeout(150);
  assert.equal(await page.evaluate(() => window.knead.time), time);
  assert.ok(difference(before, await look(page)) > 100, "the picture has changed");
});

test("without loop the end is the end; with it the start follows", ["first"], async (page) => {
  await page.click("#loop");
  await page.selectOption("#speed", "4");
  await page.click("#play");
  await page.waitForFunction(() => !window.knead.playing && Math.abs(window.knead.time - window.knead.end) < 1e-9);
  await page.click("#loop");
  await page.click("#play");
  await page.waitForFunction(() => window.knead.time < 0.2);
});

test("scrubbing shows the frame under the handle", ["first"], async (page) => {
  const box = await page.locator("#time").boundingBox();
  await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
  await shown(page, 6);
  assert.match(await text(page, "#frame-number"), /frame 6 of 12/);
  assert.equal(await text(page, "#clock"), (await page.evaluate(() => window.knead.time.toFixed(3))) + " s");
});

test("colours follow an attribute, its map and its range", ["first"], async (page) => {
  await page.keyboard.press("End");
  await shown(page, 12);
  const byBody = await look(page);
  await page.selectOption("#color", "velocity");
  await page.waitForFunction(() => window.knead.runs[0].shown.points.range[1] > 0);
  await page.waitForSelector("#legend:visible");
  assert.match(await text(page, "#legend"), /speed \[m\/s\]/);
  const viridis = await look(page);
  assert.ok(difference(byBody, viridis) > 500);
  await page.selectOption("#color-map", "grey");
  const grey = await look(page);
  assert.ok(grey.colored < 0.2 * viridis.colored, `grey has no colours: ${grey.colored} of ${viridis.colored}`);
  await page.fill("#range-high", "1000");
  await page.keyboard.press("Tab");
  assert.equal(await page.inputValue("#range-mode"), "manual");
  assert.ok(difference(grey, await look(page)) > 500, "all is dark in a range up to 1000 m/s");
});

test("bodies, slice, size and colliders change the picture", ["first"], async (page) => {
  const all = await look(page);
  await page.locator("#bodies").getByLabel("block").uncheck();
  const pool = await look(page);
  assert.ok(pool.red < 0.1 * all.red && pool.blue > 0.8 * all.blue, "the red block is gone");
  await page.locator("#bodies").getByLabel("block").check();
  await page.selectOption("#slice-axis", "x");
  const half = await look(page);
  assert.ok(half.blue < 0.85 * all.blue);
  await page.check("#slice-flip");
  assert.ok(difference(half, await look(page)) > 200);
  await page.selectOption("#slice-axis", "");
  assert.equal(difference(all, await look(page)), 0);
  await page.fill("#size", "0.3");
  const small = await look(page);
  assert.ok(small.red < all.red);
  await page.uncheck("#show-colliders");
  assert.ok(difference(small, await look(page)) > 50, "floor and ball are gone");
});

test("orbiting, zooming and showing all again", ["first"], async (page) => {
  const before = await look(page);
  const box = await page.locator("#canvas").boundingBox();
  await page.mouse.move(box.x + 300, box.y + 300);
  await page.mouse.down();
  await page.mouse.move(box.x + 400, box.y + 320, { steps: 3 });
  await page.mouse.up();
  assert.ok(difference(before, await look(page)) > 300);
  await page.mouse.wheel(0, -400);
  await page.waitForTimeout(50);
  await page.click("#frame-all");
  assert.equal(difference(before, await look(page)), 0);
});

test("a picture is saved as PNG", ["first"], async (page) => {
  const [download] = await Promise.all([page.waitForEvent("download"), page.click("#screenshot")]);
  assert.match(download.suggestedFilename(), /^first_0\.000s\.png$/);
  const bytes = fs.readFileSync(await download.path());
  assert.equal(bytes.subarray(1, 4).toString(), "PNG");
  assert.ok(bytes.length > 5000);
});

test("plots follow the time, and a click on them seeks", ["first"], async (page) => {
  await page.click("#tab-plots");
  await page.waitForSelector(".plot-card");
  assert.match(await text(page, "#plots"), /Energy[\s\S]*kinetic[\s\S]*Time per step, by phase[\s\S]*Time step/);
  const box = await page.locator(".plot").first().boundingBox();
  await page.mouse.click(box.x + 46 + (box.width - 56) / 2, box.y + 40);
  await shown(page, 6);
  const value = await page.locator(".legend-item output").first().innerText();
  const row = fs.readFileSync(path.join(run("first"), "probes", "energy.csv"), "utf8").split("\n")[7].split(",");
  assert.ok(Math.abs(Number(value) / Number(row[1]) - 1) < 0.01, `${value} is the kinetic energy of frame 6, ${row[1]}`);
});

test("the scene is shown with its materials and their units", ["first"], async (page) => {
  await page.click("#tab-scene");
  const words = await text(page, "#scene");
  assert.match(words, /jelly[\s\S]*density\s+1000 kg\/m\^3[\s\S]*elasticity: neo hookean[\s\S]*youngs modulus\s+20000 Pa/);
  assert.match(await text(page, ".scene-text"), /"name": "two blocks"/);
});

test("two runs have one clock and one camera", ["first", "second"], async (page) => {
  assert.match(await text(page, "#labels"), /two blocks[\s\S]*faster/);
  await page.keyboard.press("End");
  await shown(page, 12, 0);
  await shown(page, 12, 1);
  const seen = await look(page);
  const half = (side) => seen.bytes.filter((_, i) => Math.floor(i / 3) % 200 < 100 === (side === 0));
  const [left, right] = [half(0), half(1)];
  assert.ok(left.filter((byte, i) => Math.abs(byte - right[i]) > 30).length > 200, "the runs differ");
  await page.keyboard.press("Home");
  await shown(page, 0, 0);
  await shown(page, 0, 1);
  const start = await look(page);
  // At the start they are the same, and so are the pictures, but for the last bits of rounding and the walls' extent.
  const leftStart = start.bytes.filter((_, i) => Math.floor(i / 3) % 200 < 100);
  const rightStart = start.bytes.filter((_, i) => Math.floor(i / 3) % 200 >= 100);
  assert.ok(leftStart.filter((byte, i) => Math.abs(byte - rightStart[i]) > 30).length < 200, "one camera");
  await page.click("#tab-plots");
  assert.match(await text(page, "#plots"), /solid: two blocks · dashed: faster/);
});

test("a broken frame and a missing one are named, skipped and marked", ["broken"], async (page) => {
  await page.evaluate(() => window.knead.seek(5 / 30));
  await page.waitForFunction(() => document.getElementById("labels").textContent.includes("Frame 5 is skipped"));
  assert.match(await text(page, "#labels"), /frame_000005\.ply/);
  assert.ok((await look(page)).colored > 200, "the picture before stays");
  await page.evaluate(() => window.knead.seek(8 / 30));
  await shown(page, 7);
  assert.match(await text(page, "#labels"), /Frame 8 is missing; frame 7 is shown/);
  await page.keyboard.press("Home");
  await page.click("#play");
  await page.waitForFunction(() => window.knead.time > 0.35);
  assert.match(await text(page, "#notes"), /Frame 5 is skipped: .*frame_000005\.ply/);
}, { failures: /422/ });

test("an empty folder says that it waits", ["empty"], async (page) => {
  assert.match(await text(page, "#labels"), /there is no run\.json yet/);
  assert.equal(await text(page, "#frame-number"), "no frames");
  await page.click("#play");
  await page.keyboard.press("End");
});

test("a failed run shows its error and its frames", ["failed"], async (page) => {
  assert.match(await text(page, "#labels"), /failed[\s\S]*The run failed: the time step became too small in body block/);
  assert.ok((await look(page)).colored > 200);
});

test("a run of another version is shown as far as it can be read", ["other"], async (page) => {
  assert.match(await text(page, "#notes"), /written by knead 9\.9\.9/);
  const seen = await look(page);
  assert.ok(seen.colored > 200, "its particles are seen");
  assert.match(await text(page, "#bodies"), /block[\s\S]*pool/);
  await page.click("#tab-scene");
  assert.match(await text(page, ".scene-text"), /from the future/);
});

test("surfaces are shown in place of points", ["surfaces"], async (page) => {
  const points = await look(page);
  await page.check("#show-surfaces");
  await page.uncheck("#show-points");
  await page.waitForFunction(() => window.knead.runs[0].shown.surfaces.length === 1 && !window.knead.runs[0].shown.points);
  const seen = await look(page);
  assert.ok(seen.red > 50 && seen.blue < 0.1 * points.blue, `a red surface and no blue points: ${seen.red}, ${seen.blue}`);
});

test("frames of a run appear while it goes on", ["live"], async (page) => {
  const file = run("live.json");
  fs.writeFileSync(file, JSON.stringify(scene({ name: "going on", duration: 60, solver: { type: "mpm", dx: 0.03 } })));
  const simulation = spawn(knead, ["run", file, "-o", run("live"), "--quiet"], { stdio: "ignore" });
  try {
    await page.waitForFunction(() => window.knead.runs[0].shownFrame >= 2, null, { timeout: 30000 });
    assert.match(await text(page, "#labels"), /going on[\s\S]*running/);
    await page.waitForSelector("#live:visible");
    await page.click("#live");
    const first = await page.evaluate(() => window.knead.runs[0].shownFrame);
    if (!(await page.evaluate(() => window.knead.follow))) await page.click("#live");
    await page.waitForFunction((frame) => window.knead.runs[0].shownFrame > frame, first, { timeout: 30000 });
  } finally {
    simulation.kill("SIGINT");
    await new Promise((resolve) => simulation.once("exit", resolve));
  }
  await page.waitForFunction(() => document.getElementById("labels").textContent.includes("interrupted"), null, { timeout: 10000 });
});

test("everything can be done with the keyboard alone", ["first"], async (page) => {
  await page.keyboard.press(" ");
  assert.ok(await page.evaluate(() => window.knead.playing));
  await page.keyboard.press(" ");
  await page.keyboard.press("Home");
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowLeft");
  await shown(page, 1);
  const before = await look(page);
  await page.keyboard.press("+");
  await page.keyboard.press("Shift+ArrowLeft");
  assert.ok(difference(before, await look(page)) > 100);
  await page.keyboard.press("c");
  assert.equal(await page.evaluate(() => window.knead.display.color), "velocity");
  await page.keyboard.press("1");
  assert.ok(!(await page.locator("#bodies").getByLabel("block").isChecked()));
  await page.keyboard.press("?");
  await page.waitForSelector("#help:visible");
  await page.keyboard.press("Escape");
  const reached = new Set();
  for (let i = 0; i < 60; ++i) {
    await page.keyboard.press("Tab");
    const { id, ring } = await page.evaluate(() => {
      const node = document.activeElement;
      const mark = node.matches(".chip input") ? node.nextElementSibling : node;
      return { id: node.id, ring: getComputedStyle(mark).outlineStyle };
    });
    if (id) {
      assert.notEqual(ring, "none", `focus on ${id} is seen`);
      reached.add(id);
    }
  }
  for (const id of ["canvas", "color", "color-map", "show-points", "size", "slice-axis", "play", "time", "speed", "tab-display", "screenshot"])
    assert.ok(reached.has(id), `${id} is reached`);
  const nameless = await page.evaluate(() => [...document.querySelectorAll("button, input, select, canvas:not([aria-hidden])")]
    .filter((node) => !(node.getAttribute("aria-label") || node.labels?.length || node.textContent.trim() || node.title)).map((node) => node.outerHTML));
  assert.deepEqual(nameless, []);
});

const phone = { viewport: { width: 390, height: 844 }, deviceScaleFactor: 1, hasTouch: true, isMobile: true };
test("on a phone all fits, and fingers do", ["first"], async (page) => {
  const overflow = () => page.evaluate(() => document.documentElement.scrollWidth > window.innerWidth || document.documentElement.scrollHeight > window.innerHeight);
  assert.ok(!(await overflow()));
  assert.ok((await look(page)).colored > 200);
  assert.ok(await page.locator("#panel").isHidden());
  await page.tap("#panel-button");
  await page.waitForSelector("#panel:visible");
  assert.ok(!(await overflow()));
  const height = (await page.locator("#stage").boundingBox()).height;
  assert.ok(height > 150, `the picture stays in sight: ${height} pixels`);
  await page.tap("#tab-plots");
  await page.waitForSelector(".plot-card");
  await page.tap("#panel-close");
  await page.tap("#play");
  await page.waitForFunction(() => window.knead.time > 0.1);
  await page.tap("#play");
  const small = await page.evaluate(() => [...document.querySelectorAll("header button, footer button, footer select")]
    .filter((node) => node.offsetParent && Math.min(node.offsetWidth, node.offsetHeight) < 36).map((node) => node.id));
  assert.deepEqual(small, [], "buttons are large enough for fingers");
}, { context: phone });

async function perform(browser, { runs, body, options }) {
  const { server, address } = await serve(runs);
  // Few pixels: they are drawn without a graphics card.
  const context = await browser.newContext({ viewport: { width: 860, height: 540 }, deviceScaleFactor: 0.6, acceptDownloads: true, ...options.context });
  const problems = [];
  try {
    const page = await context.newPage();
    page.setDefaultTimeout(15000);
    page.on("console", (message) => {
      if (message.type() === "error" && !options.failures?.test(message.text())) problems.push(message.text());
    });
    page.on("pageerror", (error) => problems.push(String(error.stack)));
    page.on("request", (request) => {
      if (!request.url().startsWith(address) && !/^(data|blob):/.test(request.url())) problems.push(`request to ${request.url()}`);
    });
    await page.goto(address);
    await page.waitForFunction(() => window.knead?.runs.length && window.knead.runs.every((one) => one.tables && (one.shown || !one.frames.length)));
    await body(page);
    assert.deepEqual(problems, [], "no errors in the console, no request to another host");
  } finally {
    await context.close();
    server.kill("SIGINT");
  }
}

(async () => {
  makeRuns();
  const browser = await chromium.launch({ executablePath: process.env.CHROMIUM, args: flags });
  let failed = 0;
  for (const one of tests) {
    if (chosen.length && !chosen.some((word) => one.name.includes(word))) continue;
    const start = Date.now();
    try {
      await perform(browser, one);
      console.log(`passed  ${one.name} (${((Date.now() - start) / 1000).toFixed(1)} s)`);
    } catch (error) {
      ++failed;
      console.log(`FAILED  ${one.name}\n${error.stack}`);
    }
  }
  await browser.close();
  process.exit(failed ? 1 : 0);
})().catch((error) => {
  console.error(error);
  process.exit(1);
});
