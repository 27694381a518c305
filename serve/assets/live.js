// A form whose answer replaces what the page shows, so that the slider keeps the focus and the text
// its place. The address changes with it. Without this script, the form opens a new page.
import { revealCopying } from "./copying.js";
import { say, sayUnseen } from "./notice.js";
import { recover } from "./recovery.js";

let request = null;
let shown = readPlace();
let stopRecovery = () => {};

export function enableLiveForm() {
  const form = document.querySelector("form[data-live]");
  if (!form || !form.replaceChildren) return; // an old browser opens a new page
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    load(makeAddress(form), true, true);
  });
  form.addEventListener("input", (event) => {
    if (event.target.type === "range") form.querySelector(`output[for=${event.target.id}]`).value = event.target.value;
  });
  form.addEventListener("change", (event) => {
    const first = form.querySelector("[data-first]");
    const shows = first.value.trim() || event.target.name === "cited";
    if (event.target !== first && shows) load(makeAddress(form), true);
  });
  // Browsers fire it for a link to a passage of the page, too, which is there already.
  addEventListener("popstate", () => {
    if (readPlace() !== shown) location.reload();
  });
}

// The address without the passage that a link leads to.
function readPlace() {
  return location.pathname + location.search;
}

function makeAddress(form) {
  const query = new URLSearchParams();
  for (const [name, value] of new FormData(form)) if (value !== "") query.append(name, value);
  return `${form.getAttribute("action")}?${query}`;
}

function load(address, isNew, isAsked = false) {
  if (request) request.abort();
  stopRecovery();
  const found = document.getElementById("found");
  found.setAttribute("aria-busy", "true");
  request = new XMLHttpRequest(); // it makes a document without running anything in it
  request.responseType = "document";
  request.open("GET", address);
  request.onload = () => {
    found.removeAttribute("aria-busy");
    const answer = request.response;
    const problem = answer?.querySelector(".problem");
    if (problem || !answer?.getElementById("found")) {
      fail(address, problem?.textContent ?? "There is no answer.", problem?.hasAttribute("data-recover"));
      return;
    }
    say("");
    if (isNew) history.pushState(null, "", address);
    shown = readPlace();
    document.title = answer.title;
    document.body.className = answer.body.className;
    found.replaceChildren(...answer.getElementById("found").childNodes);
    replaceText(answer);
    revealCopying();
    if (isAsked) scrollToMark();
    const verdicts = Array.from(found.querySelectorAll(".verdict"), (one) => one.textContent);
    sayUnseen(`${found.querySelectorAll(".stop").length} found. ${verdicts.join(". ")}`);
  };
  request.onerror = () => {
    found.removeAttribute("aria-busy");
    fail(address, "citespan does not answer: it was stopped, or is out of reach.", true);
  };
  request.send();
}

// Where text and answer are side by side, the first passage comes into view.
function scrollToMark() {
  const panel = document.querySelector(".panel");
  if (!panel || getComputedStyle(panel).position !== "sticky") return;
  document.getElementById("marked")?.scrollIntoView({ block: "center" });
}

function fail(address, message, passes) {
  say(passes ? `${message} This page asks again by itself.` : message);
  if (passes) stopRecovery = recover(() => load(address, true));
}

// Only paragraphs whose marks have changed are replaced: a long article is laid out once.
function replaceText(answer) {
  const text = document.getElementById("text");
  const other = answer.getElementById("text");
  if (!text || !other) return;
  const [before, after] = [text, other].map((one) => Array.from(one.querySelectorAll("h1, .paragraph")));
  if (before.length !== after.length) {
    text.replaceWith(other);
    return;
  }
  before.forEach((one, place) => {
    if (!one.isEqualNode(after[place])) one.replaceWith(after[place]);
  });
}
