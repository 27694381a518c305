"""A made-up Metathesaurus of any size, the same for the same seed: MRCONSO.RRF and MRSTY.RRF.

`python -m benchmarks.synthetic_metathesaurus FOLDER --terms 10000000 --concepts 3300000`

No word of it means anything, but the lengths are those of the real one: 1 to 30 words a term,
4.1 on average; few words are frequent and most are rare (Zipf), and their number grows with the
text (Heaps). The synonyms of a concept vary its name: other word order, plural, capitals, a word
more, less or other, or an acronym. Beside the English terms there are as many as a quarter of
them in other languages, and a tenth suppressed.
"""

import argparse
import random
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

SEED = 2015
_SOURCES = ("SNOMEDCT_US", "MSH", "NCBI", "RXNORM", "ICD10CM", "LNC", "NCI", "MEDCIN", "GO", "HPO")
_SHARES = (0.18, 0.12, 0.2, 0.1, 0.05, 0.1, 0.1, 0.1, 0.02, 0.03)
_TYPES = (
    ("T047", "Disease or Syndrome"), ("T121", "Pharmacologic Substance"), ("T204", "Eukaryote"),
    ("T061", "Therapeutic or Preventive Procedure"), ("T116", "Amino Acid, Peptide, or Protein"),
    ("T023", "Body Part, Organ, or Organ Component"), ("T201", "Clinical Attribute"),
    ("T033", "Finding"), ("T028", "Gene or Genome"), ("T043", "Cell Function"),
)  # fmt: skip
_FUNCTION_WORDS = ("of", "with", "and", "in", "by", "the", "to", "for", "on", "or", "not", "due")
_SYLLABLES = tuple(
    consonant + vowel + end
    for consonant in ("b", "c", "d", "f", "gl", "h", "l", "m", "n", "p", "ph", "r", "st", "t", "v")
    for vowel in "aeiou"
    for end in ("", "l", "n", "r", "x")
)
_LENGTHS = np.arange(1, 31)
_LENGTH_WEIGHTS = _LENGTHS**0.9 * np.exp(-_LENGTHS / 2.15)
_LANGUAGES = ("SPA", "FRE", "GER", "POR", "CZE")
_CHUNK = 20_000
_SHORT = 3
"""Names of so many words at most have a word that hardly any other has, as real ones do: else
thousands of concepts would have the same name."""


class Words:
    """The words of the made-up language.

    Args:
        tokens: how many words of running text there will be; their kinds grow with it.
        rng: where chance comes from.
    """

    def __init__(self, tokens: int, rng: np.random.Generator) -> None:
        kinds = int(20 * tokens**0.62)
        weights = 1 / (np.arange(kinds) + 2.7)
        self._cumulated = np.cumsum(weights / weights.sum())
        self._rng = rng
        self._drawn: list[str] = []
        self._words = [*_FUNCTION_WORDS, *islice(self._made_up(), kinds - len(_FUNCTION_WORDS))]

    def _made_up(self) -> Iterator[str]:
        number = 0
        while True:
            number += 1
            word = _spelt(number)
            if number % 23 == 0:
                word = f"{word[:3].upper()}{number % 97}"
            elif number % 41 == 0:
                word = f"{word}-{number % 10}"
            yield word

    def draw(self, count: int) -> list[str]:
        """So many words, each as frequent as it is."""
        places = np.searchsorted(self._cumulated, self._rng.random(count))
        return [self._words[place] for place in places.clip(max=len(self._words) - 1)]

    def any(self) -> str:
        """One word, all as likely."""
        return self._words[self._rng.integers(len(_FUNCTION_WORDS), len(self._words))]

    def next(self) -> str:
        """One word, as frequent as it is."""
        if not self._drawn:
            self._drawn = self.draw(_CHUNK)
        return self._drawn.pop()


def _spelt(number: int) -> str:
    """A word for a number: the larger, the longer; neighbours don't look alike."""
    syllables = []
    mixed = number
    while mixed:
        mixed, place = divmod(mixed, len(_SYLLABLES))
        syllables.append(_SYLLABLES[(place * 211 + number) % len(_SYLLABLES)])
    syllables.append(_SYLLABLES[number % 77])
    return "".join(syllables)


def write(folder: Path, terms: int, concepts: int, seed: int = SEED) -> None:
    """Write the two files into `folder`, which is made.

    Args:
        folder: the META folder.
        terms: how many English terms that are not suppressed.
        concepts: how many concepts they belong to.
        seed: another one for another Metathesaurus.
    """
    folder.mkdir(parents=True, exist_ok=True)
    rng = np.random.default_rng(seed)
    chance = random.Random(seed)
    words = Words(4 * terms, rng)
    row = 0
    with (
        (folder / "MRCONSO.RRF").open("w", encoding="utf-8", newline="\n") as conso,
        (folder / "MRSTY.RRF").open("w", encoding="utf-8", newline="\n") as types,
    ):
        for first in range(0, concepts, _CHUNK):
            size = min(_CHUNK, concepts - first)
            wanted = _split(
                terms * (first + size) // concepts - terms * first // concepts, size, rng
            )
            names = _names(size, words, rng)
            for offset, (count, name) in enumerate(zip(wanted, names, strict=True)):
                cui = f"C{first + offset + 1:07}"
                number, semantic_type = chance.choice(_TYPES)
                types.write(f"{cui}|{number}|A1.2|{semantic_type}|AT{first + offset:08}|256|\n")
                for line in _rows(cui, name, int(count), words, chance, row):
                    conso.write(line)
                    row += 1


def _split(terms: int, concepts: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """How many terms each concept has: one at least, many have few and few have many."""
    shares = rng.pareto(2.2, concepts)
    extra = np.floor(np.cumsum(shares) / shares.sum() * (terms - concepts)).astype(np.int64)
    sizes: NDArray[np.int64] = 1 + np.diff(extra, prepend=0)
    return sizes


def _names(count: int, words: Words, rng: np.random.Generator) -> list[list[str]]:
    lengths = rng.choice(_LENGTHS, size=count, p=_LENGTH_WEIGHTS / _LENGTH_WEIGHTS.sum())
    drawn = iter(words.draw(int(lengths.sum())))
    names = [list(islice(drawn, int(length))) for length in lengths]
    for name in names:
        if len(name) <= _SHORT:
            name[0] = words.any()
        for edge in (0, -1):  # names hardly ever begin or end with one: 0.3% of CRAFT's do
            if name[edge] in _FUNCTION_WORDS:
                name[edge] = words.any()
    return names


def _rows(
    cui: str, name: list[str], count: int, words: Words, chance: random.Random, row: int
) -> Iterator[str]:
    sources = chance.choices(_SOURCES, _SHARES, k=count)
    for number, source in enumerate(sources):
        term = _varied(name, words, chance) if number else name
        flags = "P|L{0}|PF|S{0}|Y" if number == 0 else "S|L{0}|PF|S{0}|N"
        kind = "PT" if number == 0 else "SY"
        text = " ".join(term)
        if source == "SNOMEDCT_US":
            text = text[0].upper() + text[1:]
        at = f"{row + number:08}"
        yield f"{cui}|ENG|{flags.format(at)}|A{at}||||{source}|{kind}|{at}|{text}|0|N||\n"
    at = f"{row:08}"
    if chance.random() < 0.75:
        language = chance.choice(_LANGUAGES)
        text = " ".join(f"{word}o" for word in name)
        yield f"{cui}|{language}|P|L{at}|PF|S{at}|Y|A{at}||||MSH{language}|PT|{at}|{text}|3|N||\n"
    if chance.random() < 0.3:
        text = " ".join([*name, "NOS"])
        yield f"{cui}|ENG|S|L{at}|PF|S{at}|N|A{at}||||SNOMEDCT_US|OAP|{at}|{text}|9|O||\n"


def _varied(name: list[str], words: Words, chance: random.Random) -> list[str]:
    """A synonym of a name; it keeps the first word, which tells short names apart."""
    way = chance.random()
    if len(name) == 1:
        return [f"{name[0]}s"] if way < 0.3 else [*name, words.next()]
    place = chance.randrange(1, len(name))
    if way < 0.2:
        return [f"{name[-1]},", *name[:-1]]
    if way < 0.35:
        return [*name[:-1], f"{name[-1]}s"]
    if way < 0.45:
        return [word.capitalize() for word in name]
    if way < 0.55 and len(name) > 2:
        return ["".join(word[0] for word in name).upper() + str(chance.randrange(100))]
    if way < 0.75:
        return [*name[:place], words.next(), *name[place + 1 :]]
    if way < 0.9:
        return [*name[:place], words.next(), *name[place:]]
    return [*name[:place], *name[place + 1 :]]


def main() -> None:
    """Write one into the folder named."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=_Formatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--terms", type=int, default=200_000)
    parser.add_argument("--concepts", type=int, default=66_000)
    parser.add_argument("--seed", type=int, default=SEED)
    arguments = parser.parse_args()
    write(arguments.folder, arguments.terms, arguments.concepts, arguments.seed)


_Formatter = argparse.RawDescriptionHelpFormatter

if __name__ == "__main__":
    main()
