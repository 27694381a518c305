"use strict";

// Orders a run's citances by how far two systems are apart, and shows these two alone.
function prepare(run) {
  const controls = run.querySelector(".controls");
  if (controls === null) return;
  const list = run.querySelector(".citances");
  const citances = Array.from(list.children);
  const [one, other] = [controls.querySelector(".one"), controls.querySelector(".other")];
  const values = new Map(
    citances.map((each) => [each, each.dataset.values.trim().split(" ").map(Number)]),
  );

  function order() {
    const chosen = one.value !== "";
    other.disabled = !chosen;
    const difference = (each) => values.get(each)[one.value] - values.get(each)[other.value];
    citances.sort((a, b) =>
      chosen ? difference(b) - difference(a) : a.dataset.place - b.dataset.place,
    );
    list.append(...citances);
    for (const each of citances) {
      const systems = Array.from(each.getElementsByClassName("system"));
      systems.forEach((system, place) => {
        system.hidden = chosen && place !== Number(one.value) && place !== Number(other.value);
      });
    }
    const names = [one, other].map((each) => each.selectedOptions[0].textContent);
    const better = citances.filter((each) => chosen && difference(each) > 0).length;
    controls.querySelector("[role=status]").textContent = chosen
      ? `those on which ${names[0]} is better come first: ${better} of ${citances.length}`
      : "";
  }

  one.addEventListener("change", order);
  other.addEventListener("change", order);
  one.value = ""; // browsers keep what was chosen before a reload
  controls.hidden = false;
  order();
}

for (const run of document.getElementsByClassName("run")) prepare(run);
