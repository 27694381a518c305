"""What a system retrieved for one citance, beside what the annotators marked for it."""

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from operator import attrgetter

from citespan.pipelines.corpus.article import Article, Sentence
from citespan.pipelines.corpus.collection import Citance
from citespan.pipelines.evaluation.rouge import rouge_l
from citespan.pipelines.intervals import Interval, union
from citespan.pipelines.precision_recall import PrecisionRecallF1
from citespan.pipelines.retrieval.merge import ScoredSpan


@dataclass(frozen=True)
class Outcome:
    """One citance, the article it cites, and the spans that a system retrieved, best first.

    Raises:
        ValueError: if the article is another than the citance's, or not split into sentences,
            or a span is not in it.
    """

    citance: Citance
    article: Article
    spans: tuple[ScoredSpan, ...]

    def __post_init__(self) -> None:
        if self.article.id != self.citance.article_id:
            raise ValueError(f"citance {self.citance.id} cites {self.citance.article_id}")
        if self.article.sentences is None:
            raise ValueError(f"article {self.article.id} is not split into sentences")
        for span in self.spans:
            if not 0 <= span.first_sentence <= span.last_sentence < len(self.article.sentences):
                raise ValueError(f"{span} is not in article {self.article.id}")

    @property
    def sentences(self) -> tuple[Sentence, ...]:
        """The sentences of the article."""
        assert self.article.sentences is not None
        return self.article.sentences

    def interval(self, span: ScoredSpan) -> Interval:
        """Return where a span starts and ends in the article's text."""
        return self.sentences[span.first_sentence].start, self.sentences[span.last_sentence].end

    def is_marked(self, span: ScoredSpan) -> bool:
        """Whether a span has a marked sentence."""
        numbers = range(span.first_sentence, span.last_sentence + 1)
        return not self.gold_sentences.isdisjoint(numbers)

    @cached_property
    def retrieved(self) -> tuple[Interval, ...]:
        """The characters retrieved, each once: S of Cohan et al. 2015 (paper A), section 3."""
        return union(self.interval(span) for span in self.spans)

    @cached_property
    def gold(self) -> tuple[tuple[Interval, ...], ...]:
        """The characters that each annotator marked: G_1..G_M of paper A, section 3."""
        return tuple(union(annotation.spans) for annotation in self.citance.annotations)

    @cached_property
    def retrieved_sentences(self) -> frozenset[int]:
        """The numbers of the sentences retrieved."""
        return frozenset(
            number
            for span in self.spans
            for number in range(span.first_sentence, span.last_sentence + 1)
        )

    @cached_property
    def gold_sentences(self) -> frozenset[int]:
        """The numbers of the sentences that any annotator marked."""
        return frozenset(self.annotators_by_sentence)

    @cached_property
    def annotators_by_sentence(self) -> dict[int, int]:
        """How many annotators marked each sentence, for those marked by any, in order."""
        marked = (self._find_touched(own.spans) for own in self.citance.annotations)
        return dict(sorted(Counter(chain(*marked)).items()))

    @cached_property
    def rouge_l(self) -> PrecisionRecallF1:
        """ROUGE-L of the text retrieved against the texts that the annotators marked.

        A set's text is its intervals in the article's order, joined by a space: what was
        retrieved twice counts once, and the order of the ranking doesn't matter.
        """
        return rouge_l(self._join(self.retrieved), [self._join(marked) for marked in self.gold])

    def _join(self, intervals: Iterable[Interval]) -> str:
        return " ".join(self.article.text[start:end] for start, end in intervals)

    def _find_touched(self, intervals: Iterable[Interval]) -> set[int]:
        """Return the sentences that share a character other than white space with the intervals.

        TAC's annotators mark characters, and often begin or end within a sentence; whoever
        marked part of a sentence pointed at that sentence.
        """
        sentences = self.sentences
        touched: set[int] = set()
        for start, end in intervals:
            number = bisect_right(sentences, start, key=attrgetter("end"))
            while number < len(sentences) and sentences[number].start < end:
                part = slice(max(start, sentences[number].start), min(end, sentences[number].end))
                if self.article.text[part].strip():
                    touched.add(number)
                number += 1
        return touched
