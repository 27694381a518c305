"""How often an altered sentence is told from the one that it was made of, by kind of alteration.

`python -m studies.altered_sentences ../shared/data/pmc/*.tar.gz` takes sentences of articles and
makes a citing clause of each: its beginning in lower case, without what stands in brackets, with a
citation marker at its end. Then it changes one thing of the clause:

- *number*: one number is multiplied by something between a quarter and four, with as many decimals;
  numbers in square brackets are citation markers and stay;
- *direction*: one word is replaced by its opposite, from a list of this study. The list was written
  apart from the detector's, and the table says for which of its words the detector knows no scale;
- *negation, added* and *removed*: "not" goes in after the first auxiliary verb, or a "not" or "no"
  goes out.

The passage is the sentence as it stands, with the one before and the one after it. Thresholds of
the detector were chosen on the articles of even number in a fixed random order (`--half tuning`);
the table is of the other ones. "In its place" says how often the marked words of the clause are
those that were altered. The seed of the alterations is fixed, so the same archives give the same
table.
"""

import argparse
import random
import re
import sys
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from rich.console import Console
from rich.progress import track
from rich.table import Table

from citespan.pipelines.corpus.article import Article
from citespan.pipelines.indexing.reading.sources import Sources
from citespan.pipelines.indexing.reading.unit_reading import read_articles
from citespan.pipelines.ranking.differences.disagreement import compare
from citespan.pipelines.ranking.differences.lexicon import find_senses
from citespan.pipelines.text.splitter import DEFAULT, split_article, splitters

SEED = 23
SENTENCES_PER_ARTICLE = 4
_BRACKET = re.compile(r" ?\([^()]{0,200}\)")
_DIGITS = re.compile(r"(?<![\w.,-])\d+(?:\.\d+)?(?![\w,-]|\.\d)")
_MARKER = re.compile(r"\[[\d,;–\- ]{1,40}\]")
_AUXILIARY = re.compile(
    r"\b(is|are|was|were|has|have|had|can|could|may|might|will|would|should|does|did|do)\b"
)
_NEGATION = re.compile(r"\b(?:not|no)\b ")
_WORD = re.compile(r"[A-Za-z]+")

OPPOSITES = """
increase/decrease increases/decreases increased/decreased increasing/decreasing higher/lower
highest/lowest high/low more/less greater/smaller larger/smaller longer/shorter long/short
improved/worsened improve/worsen improves/worsens improvement/deterioration better/worse
best/worst reduced/increased reduce/increase reduces/increases reduction/increase rise/fall
rose/fell elevated/lowered elevation/lowering enhanced/diminished enhance/diminish
positive/negative positively/negatively superior/inferior upregulated/downregulated
activation/inhibition activated/inhibited activates/inhibits promotes/prevents promoted/prevented
stimulated/suppressed early/late earlier/later before/after faster/slower fast/slow
frequent/infrequent frequently/rarely common/rare commonly/rarely majority/minority many/few
most/fewest strong/weak stronger/weaker strongly/weakly effective/ineffective
efficient/inefficient safe/unsafe sensitive/insensitive resistant/susceptible present/absent
presence/absence gain/loss gained/lost acute/chronic severe/mild major/minor maximum/minimum
maximal/minimal upper/lower significant/insignificant significantly/insignificantly
beneficial/harmful benefit/harm favorable/unfavorable favourable/unfavourable likely/unlikely
able/unable possible/impossible adequate/inadequate sufficient/insufficient stable/unstable
similar/dissimilar same/different equal/unequal related/unrelated dependent/independent
directly/indirectly direct/indirect active/inactive accelerated/delayed success/failure
successful/unsuccessful older/younger deep/shallow deeper/shallower thick/thin thicker/thinner
wide/narrow wider/narrower heavy/light heavier/lighter warm/cold warmer/colder hot/cool
acidic/alkaline dilated/constricted dilation/constriction open/closed opened/closed
proximal/distal anterior/posterior dorsal/ventral medial/lateral internal/external inner/outer
left/right ascending/descending rapid/gradual rapidly/gradually soluble/insoluble
hydrophilic/hydrophobic excitatory/inhibitory agonist/antagonist malignant/benign
invasive/noninvasive symptomatic/asymptomatic homogeneous/heterogeneous constant/variable
uniform/varied hypertension/hypotension hyperglycemia/hypoglycemia vasodilation/vasoconstriction
obese/lean wet/dry clean/dirty full/empty rural/urban rich/poor literate/illiterate
married/unmarried compliant/noncompliant saturated/unsaturated parallel/perpendicular
conscious/unconscious voluntary/involuntary reversible/irreversible complete/incomplete
regular/irregular appropriate/inappropriate mature/immature visible/invisible oxidized/reduced
phosphorylated/dephosphorylated methylated/unmethylated hospitalized/discharged
"""
_OPPOSITE: dict[str, str] = {}
for _pair in OPPOSITES.split():
    _word, _opposite = _pair.split("/")
    _OPPOSITE.setdefault(_word, _opposite)
    _OPPOSITE.setdefault(_opposite, _word)


@dataclass(frozen=True)
class Example:
    """A clause, the passage that it was made of, and what was altered.

    Attributes:
        altered: (start, end) in the clause; None where nothing was.
        known: whether the detector has a scale for both words of an altered direction.
    """

    kind: str
    clause: str
    passage: str
    altered: tuple[int, int] | None = None
    known: bool = True


def read_split(paths: Sequence[Path]) -> Iterator[Article]:
    """Yield the articles of files, split into sentences."""
    splitter = splitters[DEFAULT]
    for article in read_articles(Sources([str(path) for path in paths], "auto")):
        if isinstance(article, Article):
            yield replace(article, sentences=split_article(article, splitter))


def make_examples(article: Article, rng: random.Random) -> Iterator[Example]:
    """Yield the clauses of an article: of each sentence drawn, one as it stands and all its
    alterations."""
    sentences = article.sentences or ()
    texts = [article.text[sentence.start : sentence.end] for sentence in sentences]
    usable = [
        place
        for place, text in enumerate(texts)
        if 8 <= len(text.split()) <= 50 and text[-1:] == "." and text[:1].isupper()
    ]
    for place in rng.sample(usable, min(SENTENCES_PER_ARTICLE, len(usable))):
        passage = " ".join(texts[max(0, place - 1) : place + 2])
        clause = _BRACKET.sub("", texts[place])
        clause = f"{clause[0].lower()}{clause[1:-1]}"
        yield Example("unaltered", _mark(clause), passage)
        for alter in (alter_number, alter_direction, add_negation, remove_negation):
            made = alter(clause, rng)
            if made is not None:
                kind, text, span, known = made
                yield Example(kind, _mark(text), passage, span, known)


def _mark(clause: str) -> str:
    return f"{clause} [12]."


Altered = tuple[str, str, tuple[int, int], bool]


def _replace(clause: str, kind: str, match: re.Match[str], new: str, known: bool = True) -> Altered:
    start = match.start()
    text = f"{clause[:start]}{new}{clause[match.end() :]}"
    return kind, text, (start, start + max(1, len(new))), known


def alter_number(clause: str, rng: random.Random) -> Altered | None:
    """Multiply a number by something between a quarter and four."""
    markers = [match.span() for match in _MARKER.finditer(clause)]
    found = [
        match
        for match in _DIGITS.finditer(clause)
        if float(match[0]) > 0 and not any(start < match.start() < end for start, end in markers)
    ]
    if not found:
        return None
    match = rng.choice(found)
    decimals = len(match[0].partition(".")[2])
    for _ in range(20):
        factor = rng.choice((rng.uniform(0.25, 0.8), rng.uniform(1.25, 4)))
        new = f"{float(match[0]) * factor:.{decimals}f}"
        if float(new) != float(match[0]):
            return _replace(clause, "number", match, new)
    return None


def alter_direction(clause: str, rng: random.Random) -> Altered | None:
    """Replace a word by its opposite."""
    found = [match for match in _WORD.finditer(clause) if match[0] in _OPPOSITE]
    if not found:
        return None
    match = rng.choice(found)
    new = _OPPOSITE[match[0]]
    scales = [{sense.scale: sense.side for sense in find_senses(word)} for word in (match[0], new)]
    known = any(scales[1].get(scale) == -side for scale, side in scales[0].items())
    return _replace(clause, "direction", match, new, known)


def add_negation(clause: str, rng: random.Random) -> Altered | None:
    """Put "not" after the first auxiliary verb of a clause without a negation."""
    del rng
    if _NEGATION.search(clause) or not (match := _AUXILIARY.search(clause)):
        return None
    new = f"{match[0]} not"
    kind, text, (_, end), known = _replace(clause, "negation, added", match, new)
    return kind, text, (end - 3, end), known


def remove_negation(clause: str, rng: random.Random) -> Altered | None:
    """Take a "not" or "no" out."""
    found = list(_NEGATION.finditer(clause))
    if not found:
        return None
    return _replace(clause, "negation, removed", rng.choice(found), "")


@dataclass
class Counts:
    """How many examples of a kind there are, and how many of them are flagged.

    Attributes:
        in_place: how many have a difference whose words in the clause touch those altered.
    """

    examples: int = 0
    flagged: int = 0
    in_place: int = 0

    def add(self, example: Example) -> None:
        """Count an example."""
        found = compare(example.clause, [example.passage], example.passage).differences
        self.examples += 1
        self.flagged += bool(found)
        if example.altered is not None:
            start, end = example.altered
            self.in_place += any(
                difference.citation.start <= end and start <= difference.citation.end
                for difference in found
            )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("paths", nargs="+", type=Path, help="articles, or archives of them")
    parser.add_argument("--half", choices=("reported", "tuning"), default="reported")
    arguments = parser.parse_args()
    remainder = 1 if arguments.half == "reported" else 0
    counts: dict[str, Counts] = {}
    articles = 0
    for article in track(read_split(arguments.paths), "Comparing", console=Console(stderr=True)):
        if zlib.crc32(article.id.encode()) % 2 != remainder:
            continue
        articles += 1
        for example in make_examples(article, random.Random(f"{SEED} {article.id}")):
            kinds = [example.kind]
            if example.kind == "direction":
                kinds.append(f"direction, {'on' if example.known else 'off'} the detector's scales")
            if example.altered is not None:
                kinds.append("all altered")
            for kind in kinds:
                counts.setdefault(kind, Counts()).add(example)
    table = Table("Clause", "Number", "Flagged", "In its place")
    for kind, own in sorted(counts.items()):
        placed = f"{own.in_place / own.examples:.3f}" if kind != "unaltered" else ""
        table.add_row(kind, f"{own.examples:,}", f"{own.flagged / own.examples:.3f}", placed)
    console = Console(width=None if sys.stdout.isatty() else 120)
    console.print(table)
    console.print(
        f"{articles:,} articles, up to {SENTENCES_PER_ARTICLE} sentences of each; seed {SEED}."
    )


if __name__ == "__main__":
    main()
