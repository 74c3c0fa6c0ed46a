// Fetches frames and surfaces and takes them apart, away from the page's own thread.
import { loadBundle } from "./packed.js";

const running = new Map();

async function get({ id, ...wanted }) {
  const abort = new AbortController();
  running.set(id, abort);
  try {
    const { reply, transfer } = await loadBundle(wanted, abort.signal);
    self.postMessage({ id, ...reply }, transfer);
  } catch (problem) {
    if (problem.name === "AbortError") self.postMessage({ id, aborted: true });
    else self.postMessage({ id, lost: true, errors: [`frame ${wanted.frame} could not be fetched: ${problem.message}`] });
  } finally {
    running.delete(id);
  }
}

self.onmessage = ({ data }) => {
  if (data.abort) running.get(data.abort)?.abort();
  else get(data);
};
