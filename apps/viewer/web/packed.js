// Frames and surfaces as the server packs them: asked for, and taken apart.

// frame_packing.h
export function readFrame(buffer) {
  const view = new DataView(buffer);
  const doubles = (at, count) => Array.from({ length: count }, (_, i) => view.getFloat64(at + 8 * i, true));
  if (view.getUint32(0, false) !== 0x4b564632) throw new Error("this is no frame");
  const count = view.getUint32(4, true);
  const flags = view.getUint32(12, true);
  const rows = flags & 1 ? new Float32Array(buffer, 128, 4 * count) : new Uint16Array(buffer, 128, 4 * count);
  const bodiesAt = 128 + rows.byteLength;
  return {
    count,
    index: view.getInt32(8, true),
    time: view.getFloat64(16, true),
    origin: doubles(24, 3),
    extent: doubles(48, 3),
    encoded: doubles(72, 2),
    range: doubles(88, 2),
    usual: doubles(104, 2),
    hidden: view.getUint32(120, true),
    share: view.getUint32(124, true), // particles of the frame that each one here stands for
    rows,
    bodies: flags & 2 ? new Uint16Array(buffer, bodiesAt, count) : new Uint8Array(buffer, bodiesAt, count),
    bytes: buffer.byteLength,
  };
}

// surface_packing.h
function readSurface(buffer) {
  const view = new DataView(buffer);
  if (view.getUint32(0, false) !== 0x4b565331) throw new Error("this is no surface");
  const vertices = view.getUint32(4, true);
  const triangles = view.getUint32(8, true);
  const doubles = (at) => [0, 8, 16].map((step) => view.getFloat64(at + step, true));
  const words = new Uint16Array(buffer, 64, 6 * vertices);
  return {
    origin: doubles(16),
    extent: doubles(40),
    words,
    indices: new Uint32Array(buffer, 64 + words.byteLength, 3 * triangles),
    bytes: buffer.byteLength,
  };
}

// The bytes of an address, or what the server says is wrong.
async function load(address, signal) {
  const response = await fetch(address, { signal });
  if (response.ok) return { buffer: await response.arrayBuffer() };
  let error = `the server answers ${response.status}`;
  try {
    error = (await response.json()).error ?? error;
  } catch {
    // The status alone has to do.
  }
  return { error };
}

// Everything that one frame consists of; `transfer` are the buffers in it.
export async function loadBundle({ run, frame, color, points, surfaces }, signal) {
  const reply = { points: null, surfaces: [], errors: [], bytes: 0 };
  const transfer = [];
  const base = `api/runs/${run}`;
  const jobs = surfaces.map(async (body) => {
    const { buffer, error } = await load(`${base}/surfaces/${body}/${frame}`, signal);
    if (error) return reply.errors.push(error);
    const surface = { body, ...readSurface(buffer) };
    transfer.push(buffer);
    reply.bytes += surface.bytes;
    return reply.surfaces.push(surface);
  });
  if (points) {
    jobs.push((async () => {
      const { buffer, error } = await load(`${base}/frames/${frame}?color=${encodeURIComponent(color)}`, signal);
      if (error) return reply.errors.push(error);
      reply.points = readFrame(buffer);
      transfer.push(buffer);
      reply.bytes += reply.points.bytes;
    })());
  }
  await Promise.all(jobs);
  return { reply, transfer };
}
