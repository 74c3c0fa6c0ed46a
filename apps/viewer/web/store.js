// Frames in memory: fetched by the worker, ahead in the direction of play, up to a number of bytes.
import { readFrame } from "./packed.js";

const mostRequests = 4;

export class FrameStore {
  constructor(onArrival, onSample) {
    this.onArrival = onArrival;
    this.onSample = onSample;
    this.entries = new Map(); // key -> { run, frame, kind, state: "loading" | "ready", bundle, bytes }
    this.requests = new Map(); // id -> key
    this.nextId = 1;
    this.bytes = 0;
    const gigabytes = navigator.deviceMemory ?? 4;
    this.budget = Math.min(1.5, Math.max(0.2, gigabytes / 8)) * 2 ** 30;
    this.worker = new Worker("worker.js", { type: "module" });
    this.worker.onmessage = ({ data }) => this.receive(data);
  }

  key(run, frame, kind) {
    return `${run}/${frame}/${kind.key}`;
  }

  get(run, frame, kind) {
    const entry = this.entries.get(this.key(run, frame, kind));
    return entry?.state === "ready" ? entry.bundle : null;
  }

  // Wanted, the most urgent first: [{ run, frame, kind }]. What is loading and not wanted any more is given up.
  want(list) {
    this.wanted = list;
    const keys = new Set(list.map((item) => this.key(item.run, item.frame, item.kind)));
    for (const [id, key] of this.requests) if (!keys.has(key)) this.worker.postMessage({ abort: id });
    this.pump();
  }

  // Points that the page has asked for already; `bytes` is a promise. When it fails they are asked for as all others are, and when they are
  // a sample the whole is.
  async adopt({ run, frame, kind }, bytes) {
    const key = this.key(run, frame, kind);
    const id = this.nextId++;
    this.entries.set(key, { run, frame, kind, state: "loading", bytes: 0 });
    this.requests.set(id, key);
    try {
      const points = readFrame(await bytes);
      if (points.share > 1) {
        this.onSample(run, points);
        return this.receive({ id, aborted: true });
      }
      return this.receive({ id, points, surfaces: [], errors: [], bytes: points.bytes });
    } catch {
      return this.receive({ id, aborted: true });
    }
  }

  pump() {
    for (const { run, frame, kind } of this.wanted ?? []) {
      if (this.requests.size >= mostRequests) return;
      const key = this.key(run, frame, kind);
      if (this.entries.has(key)) continue;
      const id = this.nextId++;
      this.entries.set(key, { run, frame, kind, state: "loading", bytes: 0 });
      this.requests.set(id, key);
      // A frame that has no surfaces yet shows its points.
      const surfaces = kind.surfaces.filter((body) => kind.hasSurface(run, body, frame));
      this.worker.postMessage({ id, run, frame, color: kind.color, points: kind.points || !surfaces.length, surfaces });
    }
  }

  receive(reply) {
    const key = this.requests.get(reply.id);
    this.requests.delete(reply.id);
    const entry = this.entries.get(key);
    if (entry?.state === "loading") {
      if (reply.aborted || reply.lost) {
        this.entries.delete(key);
        if (reply.lost) this.onArrival(entry, reply);
      } else {
        entry.state = "ready";
        entry.bundle = reply;
        entry.bytes = reply.bytes;
        this.bytes += reply.bytes;
        this.typical = reply.bytes;
        this.onArrival(entry, reply);
        this.evict();
      }
    }
    // After a lost connection the next look at the runs asks again; at once would be a storm.
    if (!reply.lost) this.pump();
  }

  // Drops what is needed last, and never what is wanted most.
  evict() {
    if (this.bytes <= this.budget) return;
    const rank = new Map((this.wanted ?? []).map((item, place) => [this.key(item.run, item.frame, item.kind), place]));
    const ready = [...this.entries].filter(([, entry]) => entry.state === "ready");
    ready.sort(([a], [b]) => (rank.get(b) ?? Infinity) - (rank.get(a) ?? Infinity));
    for (const [key, entry] of ready) {
      if (this.bytes <= this.budget || (rank.get(key) ?? Infinity) < 2) break;
      this.entries.delete(key);
      this.bytes -= entry.bytes;
    }
  }

  // How many frames ahead fit, for this many runs.
  depth(runs) {
    const size = Math.max(1, this.typical ?? 8e6);
    return Math.max(2, Math.min(120, Math.floor((0.75 * this.budget) / size / runs)));
  }

  forget(run) {
    for (const [key, entry] of this.entries) {
      if (entry.run !== run) continue;
      this.bytes -= entry.bytes;
      this.entries.delete(key);
    }
  }
}
