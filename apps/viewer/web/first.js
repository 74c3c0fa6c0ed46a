// Asks for what the first picture needs while the page's own script is still on its way: once that runs, no answer is heard for a while.
function ask(address, kind) {
  const answer = fetch(address).then((response) => (response.ok ? response[kind]() : Promise.reject(new Error(`the server answers ${response.status}`))));
  answer.catch(() => {}); // whoever uses it tells
  return answer;
}

window.kneadFirst = {
  runs: ask("api/runs", "json"),
  frame: ask("api/runs/0/frames/first?color=", "arrayBuffer"),
  scene: ask("api/runs/0/scene", "json"),
  survey: ask("api/runs/0/survey", "json"),
};
