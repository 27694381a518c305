// Deciding about citations by keys and without a new page; without this script, forms do it.
const heard = document.getElementById("decided");
const keys = document.getElementById("decide-keys");
const BUTTONS = { r: "right", w: "wrong", t: "to do" };

function current() {
  return document.activeElement.closest(".citation");
}

function step(by, wanted = () => true) {
  const all = Array.from(list.getElementsByClassName("citation")).filter((one) => !one.hidden);
  const at = all.indexOf(current());
  const others = by > 0 ? all.slice(at + 1) : all.slice(0, at < 0 ? all.length : at).reverse();
  const next = others.find(wanted);
  if (!next) return;
  next.tabIndex = -1;
  next.focus();
  next.scrollIntoView({ block: "center" });
}

function isLeft(citation) {
  return !["right", "wrong"].includes(citation.querySelector(".decision").dataset.state);
}

function press(value) {
  current()?.querySelector(`button[value="${value}"]:not([hidden])`)?.click();
}

const KEYS = {
  n: () => step(1),
  p: () => step(-1),
  u: () => step(1, isLeft),
  e: () => current()?.querySelector("input[name=note]")?.focus(),
};

document.addEventListener("keydown", (event) => {
  const typing = event.target.matches("input:not([type=checkbox]), textarea, select");
  if (typing && event.key === "Escape") current()?.focus();
  if (typing || event.ctrlKey || event.metaKey || event.altKey) return;
  if (localStorage.getItem("citespan-keys-off") !== null) return;
  const act = KEYS[event.key] ?? (BUTTONS[event.key] && (() => press(BUTTONS[event.key])));
  if (!act) return;
  event.preventDefault();
  act();
});

list.addEventListener("submit", (event) => {
  const form = event.target;
  const pressed = event.submitter;
  if (!pressed || !form.replaceChildren) return; // an old browser opens a new page
  event.preventDefault();
  const data = new FormData(form);
  data.append(pressed.name, pressed.value);
  data.append("fragment", "true");
  const citation = form.closest(".citation");
  const request = new XMLHttpRequest(); // it makes a document without running anything in it
  request.responseType = "document";
  request.open("POST", form.action);
  request.onload = () => {
    const answer = request.response;
    const decision = answer?.querySelector(".decision");
    if (!decision) {
      heard.textContent = answer?.querySelector(".problem")?.textContent ?? "That is not kept: there is no answer.";
      heard.scrollIntoView({ block: "center" });
      return;
    }
    citation.querySelector(".decision").replaceWith(decision);
    heard.replaceChildren(...answer.getElementById("decided").childNodes);
    citation.tabIndex = -1;
    citation.focus({ preventScroll: true });
    show();
  };
  request.onerror = () => {
    heard.textContent = "That is not kept: citespan does not answer.";
    heard.scrollIntoView({ block: "center" });
  };
  request.send(new URLSearchParams(data));
});

if (keys && localStorage.getItem("citespan-keys-off") === null) keys.hidden = false;
// The page to send a manuscript from lists the reports that this browser has opened.
const STORED = "citespan-checks";

function note(isKept) {
  const own = { address: location.pathname.replace(/(\/check\/[^/]+).*/, "$1"), name: document.title, time: new Date().toISOString() };
  try {
    const others = JSON.parse(localStorage.getItem(STORED) ?? "[]").filter((one) => one.address !== own.address);
    localStorage.setItem(STORED, JSON.stringify([...(isKept ? [own] : []), ...others].slice(0, 20)));
  } catch {
    localStorage.removeItem(STORED); // it was no list of checks
  }
}

note(true);
document.querySelector("form[action$='/delete']")?.addEventListener("submit", () => note(false));
