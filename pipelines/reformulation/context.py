"""What a reformulation knows beside the citance."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from citespan.pipelines.reformulation.options import Options
from citespan.pipelines.reformulation.query import Term


@dataclass(frozen=True)
class Context:
    """The options, and what is known of the reference article.

    Attributes:
        article_text: returns the text of the reference article, whose abbreviations then count;
            None where no article is named.
        first_spans: returns the texts of the first spans, at most so many, that terms find in
            the article; None where there is nothing to search.
    """

    options: Options = field(default_factory=Options)
    article_text: Callable[[], str] | None = None
    first_spans: Callable[[Sequence[Term], int], Sequence[str]] | None = None
