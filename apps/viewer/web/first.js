// Asks for what the first picture needs while the page's own script is still on its way.
function ask(address, kind) {
  const answer = fetch(address).then((response) => (response.ok ? response[kind]() : Promise.reject(new Error(`the server answers ${response.status}`))));
  answer.catch(() => {}); // whoever uses it tells
  return answer;
}

window.kneadFirst = { runs: ask("api/runs", "json"), scenes: [], surveys: [], frames: [] };
window.kneadFirst.ready = window.kneadFirst.runs.then(({ runs }) => {
  const { scenes, surveys, frames } = window.kneadFirst;
  const live = runs.some((run) => run.status === "running");
  runs.forEach((run, i) => {
    // Of a run that goes on the newest frame is shown, which is not settled here.
    if (!live && run.frames.length) frames[i] = { number: run.frames[0][0], bytes: ask(`api/runs/${i}/frames/${run.frames[0][0]}?color=`, "arrayBuffer") };
    scenes[i] = ask(`api/runs/${i}/scene`, "json");
    surveys[i] = ask(`api/runs/${i}/survey`, "json");
  });
});
