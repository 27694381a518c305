"""The options of reformulations, for every command that reformulates citances."""

import inspect
from collections.abc import Callable
from enum import StrEnum
from functools import wraps
from pathlib import Path
from typing import Annotated, Any

import typer

from citespan.cli.options import SemanticTypes, Sources, Vocabulary, listed
from citespan.pipelines.reformulation.context import Options


class Synonyms(StrEnum):
    """What a synonym of several words becomes in a query."""

    PHRASE = "phrase"
    CONJUNCTION = "conjunction"


_DEFAULTS = Options()


def _options(
    vocabulary: Vocabulary = None,
    sources: Sources = None,
    types: SemanticTypes = None,
    synonyms: Annotated[
        Synonyms, typer.Option(help="What a synonym of several words becomes.")
    ] = Synonyms(_DEFAULTS.synonyms),
    pipeline: Annotated[
        str,
        typer.Option(
            help="spaCy pipeline that finds noun phrases: citespan's own, a package or a folder."
        ),
    ] = _DEFAULTS.pipeline,
    background: Annotated[
        Path | None,
        typer.Option(
            help="Document frequencies for keywords, prf and domain-terms, made by "
            "`citespan background build`.",
            show_default="60 articles of CRAFT with 500 abstracts of PubMedQA",
        ),
    ] = None,
    general: Annotated[
        Path | None,
        typer.Option(
            help="Document frequencies of the general corpus for domain-terms.",
            show_default="glosses of WordNet 3.0",
        ),
    ] = None,
    feedback_spans: Annotated[
        int, typer.Option(min=1, help="From how many first spans prf takes terms.")
    ] = _DEFAULTS.feedback_spans,
    feedback_terms: Annotated[
        int, typer.Option(min=1, help="How many terms prf takes.")
    ] = _DEFAULTS.feedback_terms,
) -> Options:
    return Options(
        vocabulary,
        listed(sources),
        listed(types) or (),
        synonyms=synonyms.value,
        pipeline=pipeline,
        background=background,
        general=general,
        feedback_spans=feedback_spans,
        feedback_terms=feedback_terms,
    )


def with_reformulation_options(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command that takes `options: Options` an option for each member of these.

    Typer reads a command's signature, so the options stand there in place of `options`.
    """
    signature = inspect.signature(command, eval_str=True)
    own = [p for p in signature.parameters.values() if p.name != "options"]
    added = inspect.signature(_options, eval_str=True).parameters

    @wraps(command)
    def with_options(**values: Any) -> None:
        options = _options(**{name: values.pop(name) for name in added})
        command(options=options, **values)

    parameters = [*own, *added.values()]
    with_options.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
    with_options.__annotations__ = {p.name: p.annotation for p in parameters}
    return with_options
