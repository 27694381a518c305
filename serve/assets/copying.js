// Quotes are copied with their source and offsets: by a button, or with a selection in the text.
import { say } from "./notice.js";

export function enableCopying() {
  revealCopying();
  document.addEventListener("click", (event) => {
    const button = event.target.closest?.(".copy");
    if (button) copyQuote(button);
  });
  document.addEventListener("copy", (event) => {
    const text = document.getElementById("text");
    const selection = getSelection();
    if (!text || selection.isCollapsed || !text.contains(selection.anchorNode)) return;
    const range = selection.getRangeAt(0);
    const [start, end] = [findOffset(range.startContainer, range.startOffset), findOffset(range.endContainer, range.endOffset)];
    if (start === null || end === null) return;
    event.clipboardData.setData("text/plain", `“${selection}” ${text.dataset.source}. Characters ${start}–${end}.`);
    event.preventDefault();
  });
}

export function revealCopying() {
  for (const button of document.querySelectorAll(".copy")) button.hidden = false;
}

export async function copyQuote(button) {
  try {
    await navigator.clipboard.writeText(button.dataset.quote);
    say("Copied with its source and offsets.");
  } catch {
    say(button.dataset.quote); // the browser does not let pages copy
  }
}

// Return a place of the page as an offset into the article's text, null outside of sentences.
function findOffset(node, offset) {
  const sentence = (node.nodeType === Node.TEXT_NODE ? node.parentElement : node).closest("[data-start]");
  if (!sentence) return null;
  const before = document.createRange();
  before.setStart(sentence, 0);
  before.setEnd(node, offset);
  // Offsets count characters as Python does, not the halves of surrogate pairs.
  return Number(sentence.dataset.start) + Array.from(before.toString()).length;
}
