// How many citations of a manuscript are checked; the report opens when all are.
const SECONDS = 0.5;

export async function watchCheck() {
  const watched = document.querySelector("[data-check]");
  if (!watched) return;
  const [bar, state] = [document.getElementById("bar"), document.getElementById("state")];
  for (;;) {
    await new Promise((resolve) => setTimeout(resolve, SECONDS * 1000));
    try {
      const answer = await fetch(`/api/check/${watched.dataset.check}/progress`);
      const check = await answer.json();
      if (!answer.ok || check.state === "done" || check.state === "failed") break;
      if (check.total) {
        bar.max = check.total;
        bar.value = check.done;
        state.textContent = `${check.done} of ${check.total} citations are checked.`;
      }
    } catch {
      state.textContent = "citespan does not answer; this page asks again by itself.";
    }
  }
  location.reload();
}
