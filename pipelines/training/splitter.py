"""How well a splitter finds the boundaries that people have marked in texts."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from citespan.pipelines.corpus.article import Sentence
from citespan.pipelines.errors import InputError
from citespan.pipelines.precision_recall import PrecisionRecall
from citespan.pipelines.text.splitter import Splitter, find_paragraphs
from citespan.pipelines.training.gold_parses import read_text

_SENTENCE = "# text = "


@dataclass(frozen=True, slots=True)
class GoldText:
    """A text with its sentences.

    Attributes:
        sentences: in order, with offsets into `text`.
        skipped: stretches of the text, (start, end), whose sentences could not be found in it
            and where no boundary is therefore scored.
        unaligned: how many sentences that were.
    """

    name: str
    text: str
    sentences: tuple[Sentence, ...]
    skipped: tuple[tuple[int, int], ...]
    unaligned: int


def _past_space(text: str, position: int) -> int:
    while position < len(text) and text[position].isspace():
        position += 1
    return position


def _end(text: str, start: int, sentence: str) -> int | None:
    """Return where `sentence` ends if it stands at `start`, white space aside."""
    if text.startswith(sentence, start):
        return start + len(sentence)
    position = start
    for part in sentence.split():
        for character in part:
            position = _past_space(text, position)
            if not text.startswith(character, position):
                return None
            position += 1
    return position


def align(name: str, text: str, sentences: list[str]) -> GoldText:
    """Find the sentences in the text, one after the other.

    Each is looked for right behind the one before it, with white space that may differ. One
    that isn't there is counted as unaligned, and the next is looked for, letter by letter, in
    all that follows; what lies between is skipped.
    """
    found: list[Sentence] = []
    skipped: list[tuple[int, int]] = []
    unaligned = 0
    position = 0
    lost = False
    for sentence in sentences:
        start = text.find(sentence, position) if lost else _past_space(text, position)
        end = _end(text, start, sentence) if start >= 0 else None
        if end is None:
            unaligned += 1
            lost = True
            continue
        if lost:
            skipped.append((position, start))
        lost = False
        found.append(Sentence(start, end))
        position = end
    if lost:
        skipped.append((position, len(text)))
    return GoldText(name, text, tuple(found), tuple(skipped), unaligned)


def read_gold_sentences(conllu: Path, texts: Path) -> Iterator[GoldText]:
    """Yield each `NAME.conllu` of one folder with the `NAME.txt` of the other.

    The sentences are the `# text =` lines; the tokens are not used.

    Raises:
        InputError: for a folder without CoNLL-U files, one without `# text =`, or a text that
            is missing or isn't UTF-8.
    """
    files = sorted(conllu.glob("*.conllu"))
    if not files:
        raise InputError(f"{conllu}: no *.conllu files in there")
    for file in files:
        lines = read_text(file).splitlines()
        sentences = [line[len(_SENTENCE) :] for line in lines if line.startswith(_SENTENCE)]
        if not sentences:
            raise InputError(f"{file}: no '# text =' line; sentences can't be found without them")
        yield align(file.stem, read_text(texts / f"{file.stem}.txt"), sentences)


def score_boundaries(
    splitter: Splitter, texts: Iterable[GoldText]
) -> tuple[PrecisionRecall, PrecisionRecall]:
    """Return the scores inside paragraphs, and over all boundaries.

    A boundary is the offset at which a sentence starts. Those at which a paragraph starts are
    found by every splitter, so that only the first of the two scores tells splitters apart.
    Boundaries in a text's skipped stretches are left out.
    """
    inside = everywhere = PrecisionRecall()
    for text in texts:
        hidden = [range(start, end) for start, end in text.skipped]
        gold, found = (
            {s.start for s in sentences if not any(s.start in part for part in hidden)}
            for sentences in (text.sentences, splitter.split(text.text))
        )
        everywhere += PrecisionRecall.of(found, gold)
        given = {start for start, _ in find_paragraphs(text.text)}
        inside += PrecisionRecall.of(found - given, gold - given)
    return inside, everywhere
