"""How well and how fast a spaCy pipeline tags and parses texts whose parses are known."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter, process_time
from typing import TYPE_CHECKING

from citespan.pipelines.errors import InputError
from citespan.pipelines.precision_recall import PrecisionRecall
from citespan.pipelines.training.gold_parses import read_parses

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc
    from spacy.training import Example

_ROUNDS = 3


@dataclass(frozen=True, slots=True)
class TaggerScores:
    """Scores from 0 to 1.

    From raw text, tokens that are cut otherwise than the gold ones count as wrong, and every
    score is an F1 over tokens (spaCy's `Scorer`).

    Attributes:
        tokens: F1 of the tokens' bounds.
        tags: tag accuracy.
        uas, las: unlabelled and labelled attachment of all tokens but punctuation.
        las_with_punctuation: labelled attachment of all tokens.
        sentences: F1 of the sentences' bounds.
        noun_phrases: F1 of the noun chunks' bounds against those of the gold parse.
    """

    tokens: float
    tags: float
    uas: float
    las: float
    las_with_punctuation: float
    sentences: float
    noun_phrases: float


@dataclass(frozen=True, slots=True)
class TaggerReport:
    """What `evaluate` found.

    Attributes:
        files, paragraphs, words: what was parsed; words are gold tokens, punctuation included.
        raw_text: scores on plain text, tokenised by the pipeline.
        gold_tokens: scores with the gold tokens given, but not where sentences end.
        gold_sentences: scores with gold tokens and sentences given, as parsers are mostly compared.
        words_per_second: on plain text, in batches, all pipes; the best of three rounds.
        words_per_cpu_second: the same, by the processor time of all threads together.
        bytes: the pipeline's files on disk; None if it doesn't come from a folder.
    """

    files: int
    paragraphs: int
    words: int
    raw_text: TaggerScores
    gold_tokens: TaggerScores
    gold_sentences: TaggerScores
    words_per_second: float
    words_per_cpu_second: float
    bytes: int | None


def evaluate_tagger(nlp: "Language", files: Sequence[Path]) -> TaggerReport:
    """Score a pipeline on CoNLL-U files, paragraph by paragraph.

    Raises:
        InputError: for a file that isn't CoNLL-U, or a pipeline without a tagger and a parser.
    """
    missing = [pipe for pipe in ("tagger", "parser") if pipe not in nlp.pipe_names]
    if missing:
        raise InputError(f"this spaCy pipeline has no {' and no '.join(missing)}")
    gold = [paragraph for file in files for paragraph in read_parses(file)]
    texts = [paragraph.text for paragraph in gold]
    words = sum(map(len, gold))
    elapsed: list[float] = []
    used: list[float] = []
    for _ in range(_ROUNDS):
        start, cpu_start = perf_counter(), process_time()
        raw = list(nlp.pipe(texts))
        elapsed.append(perf_counter() - start)
        used.append(process_time() - cpu_start)
    return TaggerReport(
        files=len(files),
        paragraphs=len(gold),
        words=words,
        raw_text=_scores(raw, gold),
        gold_tokens=_scores(nlp.pipe(_untagged(doc, nlp) for doc in gold), gold),
        gold_sentences=_scores(nlp.pipe(_untagged(doc, nlp, cut=True) for doc in gold), gold),
        words_per_second=words / min(elapsed),
        words_per_cpu_second=words / min(used),
        bytes=_size(nlp.path),
    )


def _untagged(gold: "Doc", nlp: "Language", cut: bool = False) -> "Doc":
    from spacy.tokens import Doc

    return Doc(
        nlp.vocab,
        words=[token.text for token in gold],
        spaces=[bool(token.whitespace_) for token in gold],
        sent_starts=[bool(token.is_sent_start) for token in gold] if cut else None,
    )


def _scores(parsed: "Iterable[Doc]", gold: "Iterable[Doc]") -> TaggerScores:
    from spacy.pipeline.dep_parser import parser_score
    from spacy.scorer import Scorer
    from spacy.training import Example

    examples = [Example(doc, right) for doc, right in zip(parsed, gold, strict=True)]
    parse = parser_score(examples)
    everything = parser_score(examples, ignore_labels=())
    return TaggerScores(
        tokens=Scorer.score_tokenization(examples)["token_f"],
        tags=Scorer.score_token_attr(examples, "tag")["tag_acc"],
        uas=parse["dep_uas"],
        las=parse["dep_las"],
        las_with_punctuation=everything["dep_las"],
        sentences=parse["sents_f"],
        noun_phrases=_noun_phrase_f1(examples),
    )


def _noun_phrase_f1(examples: "Iterable[Example]") -> float:
    tally = PrecisionRecall()
    for example in examples:
        tally += PrecisionRecall.of(
            _noun_phrases(example.predicted), _noun_phrases(example.reference)
        )
    return tally.f1


def _noun_phrases(doc: "Doc") -> set[tuple[int, int]]:
    from spacy.lang.en.syntax_iterators import noun_chunks

    return {
        (doc[start].idx, doc[end - 1].idx + len(doc[end - 1])) for start, end, _ in noun_chunks(doc)
    }


def _size(folder: Path | None) -> int | None:
    if folder is None:
        return None
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())
