"use strict";
// An addition: the page says everything without it. Copy buttons, links to claims, sorting, filters of the claims, print with the claims open.
for (const code of document.querySelectorAll("code.copy")) {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "copier";
  button.textContent = "copy";
  button.setAttribute("aria-label", "copy: " + code.textContent);
  button.addEventListener("click", () => {
    const range = document.createRange();
    range.selectNodeContents(code);
    getSelection().removeAllRanges();
    getSelection().addRange(range);
    const said = (word) => { button.textContent = word; setTimeout(() => { button.textContent = "copy"; }, 1500); };
    if (navigator.clipboard) {
      navigator.clipboard.writeText(code.textContent).then(() => said("copied"), () => said("selected"));
    } else {
      said("selected");
    }
  });
  code.after(button);
}

for (const row of document.querySelectorAll("table.claims tbody tr[id]")) {
  const link = document.createElement("a");
  link.className = "anchor";
  link.href = "#" + row.id;
  link.textContent = "#";
  link.title = "link to this claim (copied by a click)";
  link.setAttribute("aria-label", "link to this claim: " + row.cells[0].firstChild.textContent.trim());
  link.addEventListener("click", () => { if (navigator.clipboard) navigator.clipboard.writeText(link.href).catch(() => {}); });
  row.cells[0].insertBefore(link, row.cells[0].querySelector("br"));
}

function number(cell) {
  const found = cell.textContent.replace(">=", "").match(/-?\d+(\.\d+)?/);
  return found ? parseFloat(found[0]) : NaN;
}

for (const head of document.querySelectorAll("table.sortable thead th, table.claims thead tr:last-child th")) {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "sorter";
  button.append(...head.childNodes);
  head.append(button);
  button.addEventListener("click", () => {
    const table = head.closest("table");
    const down = head.getAttribute("aria-sort") === "ascending";
    for (const other of table.querySelectorAll("th[aria-sort]")) other.removeAttribute("aria-sort");
    head.setAttribute("aria-sort", down ? "descending" : "ascending");
    const place = head.cellIndex;
    const body = table.tBodies[0];
    const cellOf = (row) => row.cells[Math.min(place, row.cells.length - 1)];
    const sign = down ? -1 : 1;
    const order = (a, b) => {
      const [left, right] = place > 0 ? [number(cellOf(a)), number(cellOf(b))] : [NaN, NaN];
      if (!isNaN(left) && !isNaN(right)) return sign * (left - right);
      if (isNaN(left) !== isNaN(right)) return isNaN(left) ? 1 : -1;  // what has no number comes last
      return sign * cellOf(a).textContent.localeCompare(cellOf(b).textContent);
    };
    body.append(...[...body.rows].sort(order));
  });
}

const filters = document.getElementById("filters");
const claims = [...document.querySelectorAll("#claims table.claims tbody tr")];
if (filters && claims.length) {
  const choice = (name, words) => {
    const label = document.createElement("label");
    const select = document.createElement("select");
    select.name = name;
    for (const word of ["all", ...words]) select.add(new Option(word));
    label.append(name + " ", select);
    filters.append(label, " ");
    return select;
  };
  const words = (key) => [...new Set(claims.flatMap((row) => row.dataset[key].trim().split(/\s+/)))].sort();
  const verdict = choice("verdict", words("verdict"));
  const label = document.createElement("label");
  const text = document.createElement("input");
  text.type = "search";
  text.name = "text";
  label.append("text ", text);
  const shown = document.createElement("output");
  filters.append(label, " ", shown);
  const apply = (event) => {
    if (event) for (const all of document.querySelectorAll("#claims .all input")) all.checked = true;  // seek in all
    let count = 0;
    for (const row of claims) {
      const fits = (select, key) => select.value === "all" || row.dataset[key].split(" ").includes(select.value);
      row.hidden = !(fits(verdict, "verdict") &&
                     row.textContent.toLowerCase().includes(text.value.toLowerCase()));
      if (!row.hidden) ++count;
    }
    shown.textContent = count + " of " + claims.length + " shown";
  };
  for (const control of [verdict, text]) control.addEventListener("input", apply);
  apply();
}

// "Everything else" is ninety pages: it is printed when the reader has opened it.
addEventListener("beforeprint", () => { for (const part of document.querySelectorAll("section:not(#rest) > details:not(.whole)")) part.open = true; });
