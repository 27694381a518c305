"use strict";
const list = document.getElementById("citations");
const citations = Array.from(list.getElementsByClassName("citation"));
const order = document.getElementById("order");
const left = document.getElementById("left");
const boxes = Array.from(document.querySelectorAll("input[name=kind]"));

// Citations that were not searched for have no doubt, and come last.
function compare(one, other) {
  const place = one.dataset.place - other.dataset.place;
  if (order.value === "place") return place;
  const doubts = [one.dataset.doubt, other.dataset.doubt];
  if (doubts.includes("")) return (doubts[0] === "") - (doubts[1] === "") || place;
  const difference = doubts[1] - doubts[0];
  return (order.value === "most" ? difference : -difference) || place;
}

function show() {
  const kinds = new Set(boxes.filter((box) => box.checked).map((box) => box.value));
  for (const one of citations) {
    const state = one.querySelector(".decision")?.dataset.state;
    one.hidden = !kinds.has(one.dataset.kind) || (left?.checked && ["right", "wrong"].includes(state));
  }
  const count = citations.filter((one) => !one.hidden).length;
  document.getElementById("shown").textContent = `${count} of ${citations.length} shown`;
}

order.addEventListener("change", () => list.append(...citations.sort(compare)));
for (const box of boxes) box.addEventListener("change", show);
left?.addEventListener("change", show);
if (citations.length > 0) {
  document.getElementById("controls").hidden = false;
  order.value = "place"; // browsers keep what was chosen before a reload
  for (const box of boxes) box.checked = true;
  if (left) left.checked = false;
  show();
}
