"""How results look: in a notebook a short `repr`, HTML, and a data frame to plot; in files rows.

Jinja and pandas are imported when they are used, since commands use neither.
"""

import csv
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import MISSING, Field, fields
from functools import cache
from importlib.util import find_spec
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Final, SupportsIndex, TextIO, TypeVar, overload

from citespan.pipelines.errors import CitespanError

if TYPE_CHECKING:
    from jinja2.environment import TemplateModule
    from pandas import DataFrame

T = TypeVar("T")
Row = dict[str, Any]

_LONGEST: Final = 500
_LONGEST_ITEM: Final = 400
_LONGEST_TEXT: Final = 60
_MOST_SHOWN: Final = 100


class Shown:
    """Something that notebooks show as HTML, and that can be a data frame.

    Attributes:
        html: the macro of `shown.html` that shows it.
    """

    __slots__ = ()
    html: ClassVar[str]

    def to_rows(self) -> list[Row]:
        """Return it as rows of numbers and texts."""
        raise NotImplementedError

    def to_frame(self) -> "DataFrame":
        """Return `to_rows` as a data frame.

        Raises:
            CitespanError: if pandas is not installed.
        """
        if find_spec("pandas") is None:
            raise CitespanError("`to_frame` needs pandas: install it with `pip install pandas`")
        from pandas import DataFrame

        return DataFrame(self.to_rows())

    def _repr_html_(self) -> str:
        return render(self.html, self)


class Found(list[T], Shown):
    """A list of what was found.

    Args:
        html: the macro of `shown.html` that shows such a list.
        to_row: returns an item as numbers and texts, or as several such rows.
    """

    def __init__(
        self, found: Iterable[T], html: str, to_row: Callable[[T], Row | list[Row]]
    ) -> None:
        super().__init__(found)
        self._html = html
        self._to_row = to_row

    @overload
    def __getitem__(self, place: SupportsIndex) -> T: ...

    @overload
    def __getitem__(self, place: slice) -> "Found[T]": ...

    def __getitem__(self, place: SupportsIndex | slice) -> "T | Found[T]":
        if isinstance(place, slice):
            return Found(super().__getitem__(place), self._html, self._to_row)
        return super().__getitem__(place)

    def __repr__(self) -> str:
        written = ""
        for number, item in enumerate(self):
            following = f"{', ' if number else ''}{item!r}"
            if len(written) + len(following) > _LONGEST - 30:
                return f"[{written}, … {len(self):,} in all]"
            written += following
        return f"[{written}]"

    def to_rows(self) -> list[Row]:
        """Return it as rows of numbers and texts."""
        rows: list[Row] = []
        for item in self:
            row = self._to_row(item)
            rows += row if isinstance(row, list) else [row]
        return rows

    def _repr_html_(self) -> str:
        return render(self._html, self)


def flatten(described: Mapping[str, Any]) -> Row:
    """Return an object for JSON as a row: without objects and lists in it, but for lists of texts,
    which are joined."""
    row: Row = {}
    for name, value in described.items():
        if value is None or isinstance(value, str | int | float):
            row[name] = value
        elif isinstance(value, Sequence) and all(isinstance(part, str) for part in value):
            row[name] = "; ".join(value)
    return row


def write_csv(
    stream: TextIO, columns: Sequence[str], rows: Iterable[Mapping[str, Any]], head: bool = True
) -> None:
    """Write rows as comma-separated values, each on one line.

    Args:
        columns: their names, in order; what a row has besides is left out.
        head: whether the names come first.
    """
    writer = csv.writer(stream, lineterminator="\n")
    if head:
        writer.writerow(columns)
    for row in rows:
        values = (row.get(name) for name in columns)
        writer.writerow(["" if value is None else " ".join(str(value).split()) for value in values])


def format_csv(columns: Sequence[str], rows: Iterable[Mapping[str, Any]], head: bool = True) -> str:
    """Return rows as `write_csv` writes them."""
    stream = StringIO(newline="")
    write_csv(stream, columns, rows, head)
    return stream.getvalue()


def short_repr(cls: type[T]) -> type[T]:
    """Give a dataclass a `repr` of a few hundred letters: long texts are cut, collections counted,
    and what has its default is left out."""

    def describe(self: Any) -> str:
        shown = [f"{field.name}={_shorten(getattr(self, field.name))}" for field in fields(self)
                 if field.repr and not _has_default(self, field)]  # fmt: skip
        written = f"{type(self).__name__}({', '.join(shown)})"
        return written if len(written) <= _LONGEST_ITEM else f"{written[: _LONGEST_ITEM - 2]}…)"

    cls.__repr__ = describe  # type: ignore[method-assign]
    return cls


def _has_default(owner: Any, field: Field[Any]) -> bool:
    value, default = getattr(owner, field.name), field.default
    return default is not MISSING and type(default) is type(value) and bool(default == value)


def _shorten(value: Any) -> str:
    if isinstance(value, str | Path):
        text = str(value)
        return repr(text if len(text) <= _LONGEST_TEXT else f"{text[: _LONGEST_TEXT - 1]}…")
    if isinstance(value, float):
        return f"{value:.4g}"
    if value is None or isinstance(value, int):
        return repr(value)
    if hasattr(value, "__len__"):
        return f"<{len(value):,}>"
    return f"{type(value).__name__}(…)"


def render(macro: str, shown: object) -> str:
    """Return what a macro of `shown.html` makes of an object; texts in it are escaped."""
    return str(getattr(_load_macros(), macro)(shown, _MOST_SHOWN)).strip()


@cache
def _load_macros() -> "TemplateModule":
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    environment = Environment(
        loader=FileSystemLoader(Path(__file__).parent),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return environment.get_template("shown.html").module
