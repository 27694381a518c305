"""The parameters of a search, as pages and API have them, and the choices that forms offer."""

from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any, Final
from urllib.parse import urlencode

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from citespan.es_mappings.articles import ArticleEntry
from citespan.pipelines.errors import UnknownNameError
from citespan.pipelines.ranking.ranker import DEFAULT, NONE, rankers
from citespan.pipelines.reformulation.options import Options
from citespan.pipelines.reformulation.reformulation import reformulations
from citespan.pipelines.requests import Search
from citespan.pipelines.retrieval.model import models

MOST_PASSAGES = 20
LONGEST_CITANCE = 10_000
LONGEST_NAME = 300
LABELS: Final[Mapping[str, str]] = {
    "citance": "Citing sentence",
    "question": "Research question",
    "q": "Words of the title, or an identifier",
    "article": "Article",
    "year": "Year",
    "journal": "Journal",
    "section": "Section",
    "zone": "Only from",
    "top": "At most",
    "page": "Page",
    "ranker": "Ranker",
    "reformulation": "Reformulation",
    "model": "Retrieval model",
    "outcome": "Outcome",
    "intervention": "Intervention",
    "comparator": "Comparator",
    "cited": "How often each sentence is cited",
    "order": "Order",
    "other_ranker": "Other ranker",
    "other_reformulation": "Other reformulation",
    "other_model": "Other model",
}
"""What pages call the parameters that people choose."""

Choices = Sequence[tuple[str, str]]


def _drop_empty(value: Any) -> Any:
    """Return None for a field of a form that was left empty."""
    return None if isinstance(value, str) and not value.strip() else value


def one_of(names: Callable[[], Sequence[str]], *, or_empty: bool = False) -> Any:
    """Return what says in the API's description which names a parameter may have.

    They are asked for when the description is made, since plug-ins bring names too.
    """

    def describe(schema: dict[str, Any]) -> None:
        schema["enum"] = [*names(), *([""] if or_empty else [])]

    return describe


Optional = BeforeValidator(_drop_empty)
Name = Annotated[str, Field(max_length=LONGEST_NAME, pattern=r"^[^\x00-\x1f\x7f]+$")]
OptionalName = Annotated[
    Annotated[str, Field(max_length=LONGEST_NAME, pattern=r"^[^\x00-\x1f\x7f]*$")] | None, Optional
]
Article = Annotated[Name, Field(description="Any identifier of the article.")]
Years = Annotated[
    Annotated[str, Field(max_length=20)] | None,
    Optional,
    Field(
        description="Of publication: 2010, 2010-, -2015 or 2010-2015.",
        json_schema_extra={"pattern": r"^\s*(\d{4}\s*(-\s*(\d{4})?)?|-\s*\d{4})?\s*$"},
    ),
]
Citance = Annotated[
    str, Field(description="The citing sentence.", min_length=1, max_length=LONGEST_CITANCE)
]


class Parameters(BaseModel):
    """The parameters of an address. Unknown ones are refused."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    def to_query(self, **changed: Any) -> str:
        """Return them as an address has them, without those that have their defaults."""
        values = self.model_copy(update=changed)
        return urlencode(values.model_dump(exclude_none=True, exclude_defaults=True), doseq=True)


class Method(Parameters):
    """How citances are searched for."""

    ranker: Annotated[
        Name,
        Field(
            description="Name of the ranker; none for the method of Cohan et al. (2015).",
            json_schema_extra=one_of(lambda: [*rankers.names(), NONE]),
        ),
    ] = DEFAULT
    reformulation: Annotated[
        Name, Field(description="How the citance becomes a query; combine by +, expansions last.")
    ] = "baseline"
    model: Annotated[
        Name,
        Field(description="Retrieval model.", json_schema_extra=one_of(lambda: models.names())),
    ] = "vsm"

    def make_settings(self, options: Options, top: int | None = None) -> Search:
        """Return the settings of a search.

        Raises:
            UnknownNameError: for an unknown ranker; the folder of a model is none here.
        """
        require_ranker(self.ranker)
        return Search(
            ranker=self.ranker,
            reformulation=self.reformulation,
            model=self.model,
            top=top,
            options=options,
        )

    def describe(self) -> str:
        """Return the method in few words."""
        ranked = f"ranker {self.ranker}" if self.ranker != NONE else "Cohan et al. (2015)"
        return f"{ranked}, {self.reformulation}, {self.model}"


def require_ranker(name: str, *, judges: bool = False) -> None:
    """Check that a ranker is registered, since the name of a folder names none here.

    Args:
        judges: whether it has to judge, which the paper's method does not.

    Raises:
        UnknownNameError: if it is not.
    """
    known = [*rankers.names(), *([] if judges else [NONE])]
    if name not in known:
        raise UnknownNameError("ranker", name, known)


def list_judges() -> Choices:
    """Return the rankers that say whether an article has evidence, with their descriptions."""
    return [(ranker.name, ranker.description) for ranker in rankers]


def list_choices(options: Options, entry: ArticleEntry | None = None) -> dict[str, Choices]:
    """Return what a form offers of a method, as far as it has what it needs: names with
    descriptions, by parameter.

    Args:
        entry: of the article to be searched; None for all articles.
    """
    there = {"vocabulary": options.vocabulary is not None, "search": entry is not None}
    indexed = (entry.models if entry is not None else None) or models.names()
    return {
        "ranker": [*list_judges(), (NONE, "the method of Cohan et al. (2015)")],
        "reformulation": [
            (reformulation.name, reformulation.description)
            for reformulation in reformulations
            if all(there[need] for need in reformulation.needs)
        ],
        "model": [(model.name, model.description) for model in models if model.name in indexed],
    }
