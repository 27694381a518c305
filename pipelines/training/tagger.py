"""Training spaCy's tagger and parser on CoNLL-U, by a configuration of spaCy's own format."""

import sys
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from importlib.metadata import version
from importlib.resources import files as package_files
from io import StringIO
from json import dumps
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Final

from citespan.pipelines.batches import batched
from citespan.pipelines.errors import InputError
from citespan.pipelines.training.gold_parses import map_coarse_tags, read_parses
from citespan.pipelines.training.tagger_tokens import set_rules

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc
    from spacy.training import Example
    from thinc.api import Config

_SHIPPED: Final = "models/tagger-craft.cfg"
_SPACY: Final = ">=3.8,<4"


def load_shipped_configuration() -> "Config":
    """Return the configuration that the shipped pipeline was trained by."""
    from thinc.api import Config

    return Config().from_str(
        package_files("citespan.pipelines.text").joinpath(_SHIPPED).read_text(encoding="utf-8"),
        interpolate=False,
    )


def read_configuration(file: Path) -> "Config":
    """Return a configuration of the user's.

    Raises:
        InputError: if it can't be read.
    """
    from thinc.api import Config

    try:
        return Config().from_disk(file, interpolate=False)
    except OSError as error:
        raise InputError(f"{file}: can't be read: {error.strerror}") from error
    except ValueError as error:
        raise InputError(f"{file}: not a configuration of spaCy's format: {error}") from error


def _register() -> None:
    """Make the functions that the configuration names known to spaCy."""
    from spacy.util import registry

    registry.readers("citespan.conllu.v1", func=read_examples)
    registry.callbacks("citespan.tagger_tokens.v1", func=lambda: set_rules)
    registry.misc("citespan.coarse_tags.v1", func=_tag_map)


def read_examples(
    files: Sequence[str], sentences: int, gold_tokens_too: bool
) -> "Callable[[Language], Iterator[Example]]":
    """Stretches of CoNLL-U files, tokenised by the pipeline beside their gold parse.

    A stretch is at most so many sentences of one paragraph: spaCy's parser learns from whole
    paragraphs at a quarter of the speed. With `gold_tokens_too`, each is there a second time with
    the gold tokens.
    """

    def examples(nlp: "Language") -> "Iterator[Example]":
        from spacy.tokens import Doc
        from spacy.training import Example

        for gold in _read(tuple(files), sentences):
            yield Example(nlp.make_doc(gold.text), gold)
            if gold_tokens_too:
                words = [token.text for token in gold]
                spaces = [bool(token.whitespace_) for token in gold]
                yield Example(Doc(nlp.vocab, words=words, spaces=spaces), gold)

    return examples


@lru_cache(maxsize=2)
def _paragraphs(files: tuple[str, ...]) -> "tuple[Doc, ...]":
    return tuple(paragraph for file in files for paragraph in read_parses(Path(file)))


# Every component asks for all examples when it is initialised.
@lru_cache(maxsize=2)
def _read(files: tuple[str, ...], sentences: int) -> "tuple[Doc, ...]":
    return tuple(
        paragraph[group[0].start : group[-1].end].as_doc()
        for paragraph in _paragraphs(files)
        for group in batched(paragraph.sents, sentences)
    )


def _tag_map(files: Sequence[str]) -> dict[str, dict[str, str]]:
    coarse = map_coarse_tags(_paragraphs(tuple(files)))
    return {tag: {"POS": part_of_speech} for tag, part_of_speech in coarse.items()}


def train_tagger(
    training: Sequence[Path],
    held_out: Sequence[Path],
    configuration: "Config",
    folder: Path,
    progress: bool = False,
) -> "Language":
    """Train on some files, keep the weights that score best on others, save them in a folder.

    The same files, configuration and versions of spaCy, thinc and NumPy on the same processor
    give the same weights. spaCy's table of scores on the held-out files goes to stderr with
    `progress`.

    Raises:
        InputError: for files that aren't CoNLL-U, a configuration that spaCy refuses, or a
            folder that can't be written.
    """
    import spacy
    from spacy.training.initialize import init_nlp
    from spacy.training.loop import train as train_loop
    from thinc.api import ConfigValidationError

    _register()
    _paragraphs.cache_clear()
    _read.cache_clear()
    configuration = configuration.copy()
    paths = {"train": [str(path) for path in training], "dev": [str(path) for path in held_out]}
    configuration.setdefault("paths", {}).update(paths)
    try:
        nlp = init_nlp(configuration)
    except (ConfigValidationError, ValueError) as error:
        raise InputError(f"the configuration can't be used: {error}") from error
    with TemporaryDirectory(prefix="citespan-tagger-") as scratch:
        train_loop(
            nlp, Path(scratch), stdout=sys.stderr if progress else StringIO(), stderr=StringIO()
        )
        nlp = spacy.load(Path(scratch) / "model-best")
    nlp.config["paths"].update(dict.fromkeys(paths))
    nlp.meta.update(
        name=folder.name,
        version=version("citespan"),
        spacy_version=_SPACY,
        description=f"Tagger and parser trained on {len(training)} CoNLL-U files",
    )
    labels = sorted({label for labels in nlp.pipe_labels.values() for label in labels})
    try:
        nlp.to_disk(folder)
        # spaCy would ship every word of the training texts, which no weight looks up.
        (folder / "vocab" / "strings.json").write_text(dumps(labels), encoding="utf-8")
    except OSError as error:
        raise InputError(f"{folder}: can't be written: {error.strerror}") from error
    return nlp
