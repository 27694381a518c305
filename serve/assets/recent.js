// The reports that this browser has opened, which a report notes: nobody else is told of them.
const STORED = "citespan-checks";

export function listReports() {
  const section = document.getElementById("recent");
  if (!section) return;
  let kept;
  try {
    kept = JSON.parse(localStorage.getItem(STORED) ?? "[]");
  } catch {
    return; // it is no list of checks
  }
  for (const one of kept) {
    const link = document.createElement("a");
    link.href = new URL(one.address, location.origin).pathname;
    link.textContent = one.name;
    const item = document.createElement("li");
    item.append(link, ` ${one.time.slice(0, 10)}`);
    section.querySelector("ul").append(item);
  }
  section.hidden = kept.length === 0;
}
