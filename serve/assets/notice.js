// A line at the top of the page, and one that only screen readers have; they read both out.
export function say(text) {
  document.getElementById("notice").textContent = text;
}

export function sayUnseen(text) {
  document.getElementById("heard").textContent = text;
}
