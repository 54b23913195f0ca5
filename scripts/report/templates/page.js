"use strict";
// An addition: the page says everything without it. Copy buttons; the table's filters, order and opened rows, all in the address.
const make = (name, facts = {}, ...children) => {
  const made = Object.assign(document.createElement(name), facts);
  made.append(...children);
  return made;
};

function copyable(code) {
  const button = make("button", {type: "button", className: "copier", textContent: "copy"});
  button.setAttribute("aria-label", "copy: " + code.textContent);
  button.addEventListener("click", () => {
    getSelection().selectAllChildren(code);
    const said = (word) => { button.textContent = word; setTimeout(() => { button.textContent = "copy"; }, 1500); };
    if (navigator.clipboard) navigator.clipboard.writeText(code.textContent).then(() => said("copied"), () => said("selected"));
    else said("selected");
  });
  code.after(button);
}
for (const code of document.querySelectorAll("code.copy")) copyable(code);

// The table: at once where the address is about it, else when the page has been drawn.
const start = () => {
// A number and its unit as the table prints it. Units sort apart; times and sizes become seconds and megabytes.
const SCALES = {x: ["x", 1], "%": ["%", 1], ns: ["s", 1e-9], "µs": ["s", 1e-6], ms: ["s", 1e-3], s: ["s", 1], MB: ["MB", 1], GB: ["MB", 1e3]};
function measure(text) {
  const found = text.match(/(-?\d[\d,]*(?:\.\d+)?)\s*(x|%|[nµm]?s|[MG]B)?(?![\w])/);
  if (!found) return null;
  const [unit, scale] = SCALES[found[2]] || ["", 1];
  return {unit, value: parseFloat(found[1].replaceAll(",", "")) * scale};
}

const table = document.getElementById("rows"), form = document.getElementById("view"), body = table.tBodies[0];
const facts = JSON.parse(document.getElementById("facts").textContent);
const slug = (text) => text.toLowerCase().replace(/[^a-z0-9]+/g, "-").replace(/^-|-$/g, "");
const rows = [...body.rows].map((tr, place) => {
  const [what, where, seen, time, memory, verdict, set] = tr.cells;
  const known = facts.rows[place], kind = tr.className || "cell", claim = kind !== "cell";
  const row = {tr, place, kind, claim, program: where.firstChild.data, at: where.lastChild.textContent, set: set ? set.textContent : "",
    what: what.firstChild.data, seen: seen.firstChild ? seen.firstChild.data : "", variant: claim ? known[0] : what.firstChild.data,
    against: claim ? known[1] : "baseline", quantity: claim ? known[2] : "ratio", rounds: claim ? known[3] : known, verdict: verdict.className};
  row.axes = Object.fromEntries(row.at.split(" ").filter((part) => part.includes(":")).map((part) => part.split(/:(.*)/s)));
  row.issue = (facts.programs[row.program].issue[0]) || "";
  if (!tr.id) tr.id = slug([row.program, row.variant, row.at, row.set].join(" "));
  what.firstChild.replaceWith(make("button", {type: "button", className: "opener", textContent: row.what}));
  what.firstChild.setAttribute("aria-expanded", "false");
  return row;
});
const byId = new Map(rows.map((row) => [row.tr.id, row]));
const cellKey = (row, variant) => [row.program, row.set, row.at, variant].join("|");
const cells = new Map(rows.filter((row) => !row.claim).map((row) => [cellKey(row, row.variant), row]));

// What is shown: words, kind, case, patch, verdict, issue, values of axes, sort (a column, "-" before it: downwards), row (opened).
let view = {}, ordered = "";
const COLUMNS = ["what", "where", "seen", "time", "memory", "verdict", "run"];
const FIELDS = {kind: (row) => row.kind, case: (row) => row.program, patch: (row) => row.variant, verdict: (row) => row.verdict, issue: (row) => row.issue};
const valueOf = (row, name) => (FIELDS[name] ? FIELDS[name](row) : row.axes[name]);
const NAMES = {kind: facts.kinds, sort: {seen: "seen, smallest first", "-seen": "seen, largest first", time: "time, shortest first", "-time": "time, longest first", "-memory": "memory, most first", verdict: "verdict"}};
const NOT_FIELDS = ["words", "sort", "row"];
const textOf = (row) => (row.text ||= row.tr.textContent.toLowerCase());
const fits = (row) => Object.entries(view).every(([name, value]) => NOT_FIELDS.includes(name) || valueOf(row, name) === value) &&
  (!view.words || view.words.toLowerCase().split(/\s+/).every((word) => textOf(row).includes(word)));

function sorted() {
  if (!view.sort) return rows;
  const down = view.sort.startsWith("-"), place = COLUMNS.indexOf(view.sort.replace("-", "")), sign = down ? -1 : 1;
  const key = new Map(rows.map((row) => [row, [measure(row.tr.cells[place].textContent), row.tr.cells[place].textContent]]));
  const numbers = ["seen", "time", "memory"].includes(COLUMNS[place]), order = ["x", "%", "s", "MB", ""];
  return [...rows].sort((a, b) => {
    const [left, leftText] = key.get(a), [right, rightText] = key.get(b);
    if (!numbers) return sign * leftText.localeCompare(rightText, "en", {numeric: true}) || a.place - b.place;
    if (!left || !right) return !left - !right || a.place - b.place;  // what has no number comes last
    return order.indexOf(left.unit) - order.indexOf(right.unit) || sign * (left.value - right.value) || a.place - b.place;
  });
}

function select(name, values) {
  const chosen = make("select", {name});
  chosen.add(new Option(name === "sort" ? "as listed" : "all", ""));
  for (const value of values) chosen.add(new Option((NAMES[name] || {})[value] || value, value, false, value === view[name]));
  return make("label", {}, name + " ", chosen);
}

function controls() {
  const shown = make("output"), words = make("input", {type: "search", name: "words", value: view.words || ""});
  const parts = [make("label", {}, "words ", words)];
  const all = (name, of) => [...new Set(of.map((row) => valueOf(row, name)).filter((value) => value))];
  for (const name of Object.keys(FIELDS)) parts.push(select(name, all(name, rows).sort()));
  const here = view.case ? rows.filter((row) => row.program === view.case) : rows;
  const programs = {};
  for (const row of here) for (const axis of Object.keys(row.axes)) (programs[axis] ||= new Set()).add(row.program);
  for (const axis of Object.keys(programs).sort()) {
    const values = all(axis, here), known = axis in view || view.case || programs[axis].size > 2;
    if (known && values.length > 1) parts.push(select(axis, values.sort((a, b) => a.localeCompare(b, "en", {numeric: true}))));
  }
  form.replaceChildren(...parts, select("sort", Object.keys(NAMES.sort)), make("button", {type: "reset", textContent: "show all"}), shown);
  form.hidden = false;
}

function show() {
  close();
  let count = 0;
  for (const row of rows) count += !(row.tr.hidden = !fits(row));
  document.body.classList.toggle("unfiltered", Object.keys(view).every((name) => name === "sort" || name === "row"));
  form.querySelector("output").textContent = count + " of " + rows.length + " shown";
  if (byId.has(view.row)) open(byId.get(view.row));
}

function arrange() {
  close();
  if (view.sort || ordered) body.append(...sorted().map((row) => row.tr));
  ordered = view.sort;
  for (const [place, head] of [...table.tHead.rows[0].cells].entries()) {
    const way = {[COLUMNS[place]]: "ascending", ["-" + COLUMNS[place]]: "descending"}[view.sort];
    if (way) head.setAttribute("aria-sort", way);
    else head.removeAttribute("aria-sort");
  }
}

const address = (more = {}) => "#all?" + new URLSearchParams({...view, ...more});
const remember = () => history.replaceState(null, "", Object.keys(view).length ? address() : "#all");

function change(name, value) {
  if (value) view[name] = value;
  else delete view[name];
  delete view.row;
  if (name === "case") for (const axis of Object.keys(view)) if (!FIELDS[axis] && !NOT_FIELDS.includes(axis)) delete view[axis];
  if (name === "case") controls();
  if (name === "sort") arrange();
  show();
  remember();
}
form.addEventListener("input", (event) => change(event.target.name, event.target.value));
form.addEventListener("submit", (event) => event.preventDefault());
form.addEventListener("reset", () => { view = {}; controls(); arrange(); show(); remember(); });

for (const [place, head] of [...table.tHead.rows[0].cells].entries()) {
  const button = make("button", {type: "button", className: "sorter"}, ...head.childNodes);
  head.append(button);
  button.addEventListener("click", () => change("sort", (view.sort === COLUMNS[place] ? "-" : "") + COLUMNS[place]));
}

function fromAddress() {
  const hash = decodeURIComponent(location.hash.slice(1));
  if (hash.startsWith("all?")) view = Object.fromEntries(new URLSearchParams(location.hash.slice(5)));
  else if (byId.has(hash)) view = {row: hash};
  else if (form.firstChild) return;
  controls();
  arrange();
  show();
  const to = byId.get(view.row);
  if (to || hash.startsWith("all?")) (to && !to.tr.hidden ? to.tr : form).scrollIntoView();
}
for (const link of document.querySelectorAll("a[data-view]")) link.href = "#all?" + link.dataset.view;
addEventListener("hashchange", fromAddress);

// One opened row.
body.addEventListener("click", (event) => {
  const button = event.target.closest(".opener"), row = button && byId.get(button.closest("tr").id);
  if (!row) return;
  const was = opened;
  close();
  delete view.row;
  if (was !== row) { view.row = row.tr.id; open(row); }
  remember();
});

let opened = null;
function close() {
  if (!opened) return;
  opened.tr.querySelector(".opener").setAttribute("aria-expanded", "false");
  body.querySelector("tr.detail").remove();
  opened = null;
}

const digits = (value) => (Math.abs(value) < 1000 ? value.toPrecision(3) : Math.round(value).toString());
const seconds = (value) => { const [unit, scale] = [["s", 1], ["ms", 1e-3], ["µs", 1e-6], ["ns", 1e-9]].find(([, one]) => value >= one) || ["ns", 1e-9]; return digits(value / scale) + " " + unit; };
const median = (values) => { const of = [...values].sort((a, b) => a - b), half = of.length >> 1; return of.length % 2 ? of[half] : (of[half - 1] + of[half]) / 2; };

// The rounds of a row in its unit: a ratio from the times of its two cells, a measurement without one as times.
function roundsOf(row) {
  const unit = (measure(row.seen) || {}).unit;
  if (row.claim && row.rounds.length) return {values: row.rounds, say: (value) => (unit === "%" ? digits(100 * value) + " %" : unit === "s" ? seconds(value) : digits(value) + "x")};
  const [base, mine] = [row.against, row.variant].map((name) => cells.get(cellKey(row, name)));
  const pairs = row.quantity === "ratio" && base && mine && base !== mine ? mine.rounds.map((value, place) => value && base.rounds[place] && base.rounds[place] / value).filter((value) => value) : [];
  if (row.claim || pairs.length) return {values: pairs, say: (value) => digits(value) + "x"};
  return {values: row.rounds.filter((value) => value), say: seconds};
}

// The ends of the interval as the table prints them, in the scale of the rounds.
function intervalOf(row, rounds) {
  const text = rounds.say === seconds ? row.tr.cells[3].textContent : row.seen, ends = text.match(/\[(.*?), (.*?)\]/);
  if (!ends) return null;
  const scale = text.includes("%") ? 100 : 1, [low, high] = ends.slice(1).map((end) => (measure(end) || {value: NaN}).value / scale);
  return low > 0 && high > 0 ? [low, high] : null;
}

const MARK = 7;  // px, of a dot
function strip(row, words, span, width) {
  const rounds = roundsOf(row), ends = intervalOf(row, rounds), middle = median(rounds.values);
  const room = width - 40, at = (value) => 20 + room * (0.5 + Math.log(value / middle) / (2 * span));
  if (!ends || at(ends[1]) - at(ends[0]) < MARK) return make("p", {textContent: words + ": not drawn, its interval is " + (ends ? "smaller than a dot." : "not known.")});
  const parts = [`<line x1="20" x2="${width - 20}" y1="40" y2="40" stroke="var(--line)"/>`];
  rounds.values.forEach((value, place) => parts.push(`<circle cx="${at(value).toFixed(1)}" cy="${(26 - 8 * (place % 3)).toFixed(1)}" r="${MARK / 2}" fill="var(--link)" fill-opacity=".7"/>`));
  parts.push(`<line x1="${at(ends[0]).toFixed(1)}" x2="${at(ends[1]).toFixed(1)}" y1="40" y2="40" stroke="currentColor" stroke-width="3"/><line x1="${at(middle)}" x2="${at(middle)}" y1="33" y2="47" stroke="currentColor" stroke-width="2"/>`);
  const text = (x, anchor, words) => `<text x="${x}" y="60" text-anchor="${anchor}">${words}</text>`;
  parts.push(text(20, "start", rounds.say(middle * Math.exp(-span))), text(at(middle), "middle", rounds.say(middle)), text(width - 20, "end", rounds.say(middle * Math.exp(span))));
  const drawn = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  for (const [name, value] of Object.entries({viewBox: `0 0 ${width} 66`, width, height: 66, role: "img",
    "aria-label": `${words}: ${rounds.values.length} rounds, median ${rounds.say(middle)}, interval ${rounds.say(ends[0])} to ${rounds.say(ends[1])}`})) drawn.setAttribute(name, value);
  drawn.innerHTML = parts.join("");
  return make("figure", {}, make("figcaption", {textContent: words}), drawn);
}

const quoted = (text) => "'" + text + "'";
const escaped = (text) => text.replace(/[.[\]\\()*+?{}|^$]/g, "\\$&");
function commands(row) {
  const program = facts.programs[row.program], seed = program.seeds[row.set] || [];
  const named = [...new Set([row.against, row.variant].filter((name) => name))];
  const points = Object.entries(row.axes).map(([axis, value]) => `--axis ${axis}=${value}`).join(" ");
  const mine = cells.get(cellKey(row, row.variant)), count = Math.max(6, mine ? mine.rounds.filter((value) => value).length : 0);
  const name = [escaped(program.case), ...program.axes.map((axis) => (axis in row.axes ? `${axis}:${escaped(row.axes[axis])}` : `${axis}:[^/"]*`)), `variant:(${named.map(escaped).join("|")})`].join("/");
  const found = [["repeat it", `build/cliffbench run ${row.program} ${points} --variant ${named.join()} --rounds ${count}${seed.length ? " --seed " + seed.at(-1) : ""}`]];
  if (!row.claim) found.push(["one trial", `build/cases/${program.file} --benchmark_filter=${quoted("^" + escaped([program.case, ...row.at.split(" "), "variant:" + row.variant].join("/")) + "$")} --benchmark_min_time=0`]);
  return [...found, ["its rows", `zgrep -E ${quoted(`"program":"${escaped(row.program)}".*"name":"${name}"`)} rows.jsonl${facts.packed}`]];
}

function open(row) {
  const program = facts.programs[row.program], detail = make("td", {colSpan: row.tr.cells.length}), rounds = roundsOf(row);
  const controls = program.controls.map((name) => cells.get(cellKey(row, name))).filter((one) => one && one.variant !== row.variant);
  const drawn = [[row, rounds.values.length ? "Rounds of this row" : ""], ...controls.slice(0, 1).map((one) => [one, `Rounds of the control "${one.variant}" at this point, on the same scale`])]
    .filter(([one, words]) => words && roundsOf(one).values.length > 1);
  const spread = (one) => { const of = roundsOf(one).values, ends = intervalOf(one, roundsOf(one)) || [], middle = median(of); return Math.max(...[...of, ...ends].map((value) => Math.abs(Math.log(value / middle)))); };
  const span = 1.1 * Math.max(0.002, ...drawn.map(([one]) => spread(one)));
  for (const [one, words] of drawn) detail.append(strip(one, words, span, Math.min(560, table.parentNode.clientWidth - 24)));
  const facets = make("dl"), add = (name, ...content) => facets.append(make("dt", {textContent: name}), make("dd", {}, ...content));
  if (rounds.values.length) add("rounds", rounds.values.map(rounds.say).join(", "));
  else add("rounds", "no round stands for this number alone; its rows are below");
  add("n, seed", `${rounds.values.length || (row.tr.cells[2].textContent.match(/n = (\d+)/) || [])[1] || row.tr.cells[5].textContent}; ${(program.seeds[row.set] || []).join(", ")}`);
  for (const [name, words] of commands(row)) add(name, make("code", {className: "copy", textContent: words}));
  if (row.issue) add("issue", make("a", {href: program.issue[1], textContent: row.issue}), row.claim ? "; " + row.tr.cells[0].lastChild.textContent : "");
  if (facts.sources[row.variant]) add("code of the patch", make("a", {href: facts.sources[row.variant], textContent: row.variant}));
  add("this row", make("a", {href: "#" + row.tr.id, textContent: "link"}));
  detail.append(facets);
  row.tr.after(make("tr", {className: "detail"}, detail));
  for (const code of detail.querySelectorAll("code.copy")) copyable(code);
  row.tr.querySelector(".opener").setAttribute("aria-expanded", "true");
  opened = row;
}
fromAddress();
};
if (location.hash || !window.requestIdleCallback) start();
else requestIdleCallback(start);
