// Check frames.usda of a run with the USD library itself, compiled for the browser, in Debian's Chromium:
//
//   npm install --prefix PACKAGES --ignore-scripts three-usdz-loader@1.0.9 playwright-core
//   node validation/usd_read.mjs DIR PACKAGES
//
// The library opens frames.usda as a stage, resolves its value clips at the first, a middle and the last frame, and hands the points
// to a renderer. Every body must have the positions and velocities of the PLY frames, bit for bit. Exits with 1 at the first difference.
import fs from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import { createRequire } from 'node:module';

const [run, packages] = process.argv.slice(2);
if (!run || !packages) {
  console.error('usage: node validation/usd_read.mjs DIR PACKAGES (see the first lines of the script)');
  process.exit(2);
}
const modules = path.resolve(packages, 'node_modules');
const library = path.join(modules, 'three-usdz-loader', 'external');
if (!fs.existsSync(library)) {
  console.error(`usd_read: no three-usdz-loader in ${modules}; the first lines of the script say how to install it`);
  process.exit(2);
}
const { chromium } = createRequire(path.join(modules, 'x.js'))('playwright-core');

// Positions and velocities by body, and the bodies' names as identifiers.
function readPly(file) {
  const bytes = fs.readFileSync(file);
  const end = bytes.indexOf('end_header\n') + 11;
  const header = bytes.subarray(0, end).toString().split('\n');
  const names = header.filter((line) => line.startsWith('comment body')).map((line) => line.split(' ').slice(3).join(' '));
  const columns = header.filter((line) => line.startsWith('property')).map((line) => line.split(' ')[2]);
  const count = Number(header.find((line) => line.startsWith('element')).split(' ')[2]);
  const bodies = names.map(() => ({ points: [], velocities: [] }));
  const at = (row, column) => end + 4 * (row * columns.length + columns.indexOf(column));
  for (let row = 0; row < count; ++row) {
    const body = bodies[bytes.readInt32LE(at(row, 'body'))];
    for (const column of ['x', 'y', 'z']) body.points.push(bytes.readFloatLE(at(row, column)));
    for (const column of ['vx', 'vy', 'vz']) body.velocities.push(bytes.readFloatLE(at(row, column)));
  }
  return Object.fromEntries(names.map((name, index) => [`/knead/${name.replace(/[^A-Za-z0-9]/g, '_')}`, bodies[index]]));
}

// The library uses shared memory, which a page gets with these headers alone.
const server = http.createServer((request, response) => {
  const name = decodeURIComponent(request.url);
  const file = name === '/' ? null : name.startsWith('/library/') ? path.join(library, path.basename(name)) : path.join(run, name.slice(5));
  const types = { '.js': 'text/javascript', '.wasm': 'application/wasm' };
  if (file && !fs.existsSync(file)) return response.writeHead(404).end();
  response.writeHead(200, {
    'Cross-Origin-Opener-Policy': 'same-origin', 'Cross-Origin-Embedder-Policy': 'require-corp',
    'Content-Type': file ? types[path.extname(file)] ?? 'application/octet-stream' : 'text/html',
  });
  response.end(file ? fs.readFileSync(file) : '<script src="/library/emHdBindings.js"></script>');
});

// In the page: what the library draws at these times, as { time: { prim: { points, velocities } } }.
async function drawn({ files, times }) {
  const usd = await window.getUsdModule(undefined, '/library', undefined);
  await usd.ready;
  usd.FS.mkdir('/frames');
  for (const file of files) {
    const bytes = new Uint8Array(await (await fetch(`/run/${file}`)).arrayBuffer());
    const slash = file.lastIndexOf('/');
    usd.FS.createDataFile(`/${file.slice(0, Math.max(slash, 0))}`, file.slice(slash + 1), bytes, true, true, true);
  }
  const shown = {};
  const prim = (id) => {
    shown[id] = {};
    const ignore = () => {};
    return {
      updatePoints: (values) => { shown[id].points = Array.from(values); },
      updatePrimvar: (name, values) => { if (name === 'velocities') shown[id].velocities = Array.from(values); },
      updateOrder: ignore, updateIndices: ignore, updateNormals: ignore, setTransform: ignore, setMaterial: ignore, commit: ignore,
    };
  };
  const other = () => ({ updateNode: () => {}, updateFinished: () => {} });
  const renderer = { createRPrim: (type, id) => prim(id), createBPrim: other, createSPrim: other, CommitResources: () => {} };
  const driver = new usd.HdWebSyncDriver(renderer, 'frames.usda');
  const result = {};
  for (const time of times) {
    driver.SetTime(time);
    driver.Draw();
    result[time] = JSON.parse(JSON.stringify(shown));
  }
  return result;
}

await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: ['--no-sandbox'] });
let failed = false;
try {
  const plys = fs.readdirSync(path.join(run, 'frames')).filter((name) => /^frame_\d+\.ply$/.test(name)).sort();
  const times = [...new Set([0, plys.length >> 1, plys.length - 1])];
  const wanted = [...times.map((time) => `frames/${plys[time].replace('.ply', '.usda')}`), 'frames/frame_manifest.usda', 'frames.usda'];
  const page = await browser.newPage();
  await page.goto(`http://127.0.0.1:${server.address().port}/`);
  const found = await page.evaluate(drawn, { files: wanted, times });
  for (const time of times)
    for (const [prim, body] of Object.entries(readPly(path.join(run, 'frames', plys[time]))))
      for (const kind of ['points', 'velocities']) {
        const values = found[time][prim]?.[kind] ?? [];
        const same = values.length === body[kind].length && values.every((value, index) => value === body[kind][index]);
        failed ||= !same;
        console.log(`frame ${time}, ${prim}: ${values.length / 3} ${kind} ${same ? 'are those' : 'ARE NOT THOSE'} of ${plys[time]}`);
      }
} finally {
  await browser.close();
  server.close();
}
process.exit(failed ? 1 : 0);
