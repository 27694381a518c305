"""What an article cites: the entries of its reference list, and the links from its text to them."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import NamedTuple

from citespan.pipelines.corpus.publication import Publication


@dataclass(frozen=True, slots=True)
class Reference:
    """One publication that the reference list names.

    A numbered entry of the list that names several publications is several references.

    Attributes:
        key: unique in the article.
        names: what links call it: its own id, and that of the entry, which it may share.
        label: its number or name as the list shows it, such as "12" or "12a"; "" for none.
        text: the entry as text.
        publication: what the entry says in its mark-up; empty where it has none.
        files: the files that a library has attached to it, as it writes their paths or addresses.
    """

    key: str
    names: tuple[str, ...] = ()
    label: str = ""
    text: str = ""
    publication: Publication = field(default_factory=Publication)
    files: tuple[str, ...] = ()

    @classmethod
    def of(
        cls,
        key: str,
        publication: Publication,
        dated: str = "",
        files: tuple[str, ...] = (),
        unread: Mapping[str, str] = MappingProxyType({}),
    ) -> "Reference":
        """Return the entry of a library, whose text is made of its fields.

        Args:
            dated: the date as it is written; the year by default.
            unread: identifiers as they are written, by kind; the text shows those that are none.
        """
        year = dated or str(publication.year or "")
        shown = [*publication.authors, year, publication.title, publication.journal]
        for kind, value in unread.items():
            if value.strip() and not getattr(publication, kind):
                shown.append(f"{kind.upper()}: {value}")
        text = ". ".join(filter(None, shown)) or key
        return cls(key, (key,) if key else (), "", text, publication, files)


@dataclass(frozen=True, slots=True)
class ReferenceList:
    """The references of an article.

    Attributes:
        references: in the order of the list.
        problems: a line for each entry or file that can't be read.
    """

    references: tuple[Reference, ...] = ()
    problems: tuple[str, ...] = ()

    @classmethod
    def of(cls, entries: Iterable[Reference | str]) -> "ReferenceList":
        """Return a list of entries, whose keys become unique, and of lines on those that can't be
        read."""
        problems: list[str] = []

        def sort() -> Iterator[Reference]:
            for entry in entries:
                if isinstance(entry, Reference):
                    yield entry
                else:
                    problems.append(entry)

        references = tuple(name_uniquely(sort()))
        return cls(references, tuple(problems))


class Link(NamedTuple):
    """A place in an article that its mark-up links to the reference list.

    Attributes:
        start, end: `text[start:end]` of the article; equal for a link that shows nothing.
        names: of references, in order; empty where the mark-up names none.
    """

    start: int
    end: int
    names: tuple[str, ...]

    def move(self, by: int) -> "Link":
        """Return the same link in a text that begins `by` characters earlier."""
        return Link(self.start + by, self.end + by, self.names)


def name_uniquely(references: Iterable[Reference]) -> Iterator[Reference]:
    """Yield references with keys that are unique: "B1" and "B1-2" where two are called "B1". One
    without a key is called by its number in the list, from 1."""
    taken: set[str] = set()
    last: dict[str, int] = {}
    for number, reference in enumerate(references, 1):
        plain = reference.key or str(number)
        key, again = plain, last.get(plain, 1)
        while key in taken:
            again += 1
            key = f"{plain}-{again}"
        taken.add(key)
        last[plain] = again
        yield reference if key == reference.key else replace(reference, key=key)
