// Keys for everything; they can be turned off in the help, and do nothing while you type.
import { copyQuote } from "./copying.js";

const STORED = "citespan-keys-off";
const help = document.getElementById("help");
const box = document.getElementById("keys-on");

export function useKeys() {
  const button = document.getElementById("show-help");
  button.hidden = false;
  button.addEventListener("click", () => help.showModal());
  box.checked = localStorage.getItem(STORED) === null;
  box.addEventListener("change", () => {
    if (box.checked) localStorage.removeItem(STORED);
    else localStorage.setItem(STORED, "yes");
  });
  document.addEventListener("keydown", (event) => {
    const typing = event.target.matches("input:not([type=range], [type=checkbox]), textarea, select");
    if (typing || event.ctrlKey || event.metaKey || event.altKey || help.open) return;
    if (!box.checked && event.key !== "?") return;
    const act = KEYS[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  });
}

const KEYS = {
  "?": () => help.showModal(),
  "/": () => document.querySelector("[data-first]")?.focus(),
  n: () => step(1),
  p: () => step(-1),
  t: goAcross,
  "+": () => slide(1),
  "-": () => slide(-1),
  y: () => {
    const button = current()?.querySelector(".copy");
    if (button) copyQuote(button);
  },
  g: () => location.assign("/"),
};

function stops() {
  return Array.from(document.querySelectorAll(".stop"));
}

// The item of the list that has the focus, or whose mark has it.
function current() {
  const focused = document.activeElement;
  const passage = focused.dataset?.passages?.split(" ")[0];
  return passage ? document.getElementById(`item-${passage}`) : focused.closest(".stop");
}

function step(by) {
  const all = stops();
  if (all.length === 0) return;
  const at = all.indexOf(current());
  const next = all[Math.min(all.length - 1, Math.max(0, at < 0 ? (by > 0 ? 0 : all.length - 1) : at + by))];
  const link = next.tabIndex < 0 && !next.hasAttribute("tabindex") ? next.querySelector("a") : next;
  link.focus();
  const mark = document.getElementById(next.dataset.target ?? "");
  if (mark) mark.scrollIntoView({ block: "center" });
}

function goAcross() {
  const focused = document.activeElement;
  const item = current();
  if (!item) return;
  const mark = document.getElementById(item.dataset.target ?? "");
  if (focused.dataset?.passages) item.focus();
  else if (mark) {
    mark.tabIndex = -1;
    mark.focus();
    mark.scrollIntoView({ block: "center" });
  }
}

function slide(by) {
  const slider = document.querySelector("form[data-live] input[type=range]");
  if (!slider) return;
  slider.value = Number(slider.value) + by;
  for (const kind of ["input", "change"]) slider.dispatchEvent(new Event(kind, { bubbles: true }));
}

// Paragraphs far from the window are laid out when they come near it, which moves the passage that a
// link leads to: it is brought into view once more.
addEventListener("hashchange", () => {
  requestAnimationFrame(() => document.querySelector(":target")?.scrollIntoView({ block: "center" }));
});
