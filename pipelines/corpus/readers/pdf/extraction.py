"""The pieces of text on the pages of a PDF, with their places, as PDFium finds them.

A piece is a run of characters of one size on one baseline without a space in it: a word, or a part
of one where a superscript begins. Positions are in points from the lower left corner, turned so
that most text of the page runs from left to right.
"""

import ctypes
import math
import re
import sys
import unicodedata
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from statistics import median
from typing import Any, NamedTuple

from citespan.pipelines.errors import InputError

NO_TEXT = "no text: a scan; run OCR first"
_MOST_PAGES = 1000
_MOST_ON_PAGE = 200_000  # characters
_MOST = 20_000_000
_FEWEST_WORDS = 5  # of a page that is no scan
_FORCED_BOLD = 1 << 18  # bit 19 of a font's flags, ISO 32000-1, table 123
_BOLD = re.compile(r"bold|black|heavy|-medi|demi|cmbx|cmb\d", re.IGNORECASE)
_BOLD_WEIGHT = 600
_LETTERS = ("ff", "fi", "fl", "ffi", "ffl", "st", "st")
_LIGATURES = str.maketrans(
    dict(zip("\ufb00\ufb01\ufb02\ufb03\ufb04\ufb05\ufb06", _LETTERS, strict=True))
    | dict.fromkeys("\xad\ufffe\u2010", "-")
)
_DIVIDING_HYPHEN = 2  # PDFium's name for a hyphen at the end of a line
# The codes of TeX's first fonts, which PDFium passes on where a font doesn't name its letters.
_TEX = dict(enumerate((*_LETTERS[:5], *"ıȷ`´ˇ˘¯˚¸ßæœøÆŒØ"), 0x0B)) | {0x7F: "¨"}
_MARKS = {0x22: "”", 0x5C: "“", 0x7B: "–", 0x7C: "—"}  # of the same fonts
# The codes of its later fonts (T1), which have ligatures where the first have other letters.
_LIGATURE = 0x1B
_CORK = dict(enumerate(_LETTERS[:5], _LIGATURE))
_CORK |= dict(enumerate("“”„«»–—", 0x10)) | {0x19: "ı", 0x1A: "ȷ", 0x7F: "-"}
_CORK |= dict(enumerate("ĂĄĆČĎĚĘĞĹĽŁŃŇŊŐŔŘŚŠŞŤŢŰŮŸŹŽŻĲİđ§ăąćčďěęğĺľłńňŋőŕřśšşťţűůÿźžżĳ¡¿£", 0x80))
_CORK |= {0xD7: "Œ", 0xF7: "œ", 0xFF: "ß"}
_CODES = _CORK.keys() | _MARKS.keys()
_FIRST_ONLY = frozenset((*range(0x0B, 0x10), *range(0x12, 0x15), 0x17, 0x18))  # within words
_ACCENTS = dict(zip("¨´`ˆ˜ˇ¸˚", "\u0308\u0301\u0300\u0302\u0303\u030c\u0327\u030a", strict=True))
_DOTLESS = {"ı": "i", "ȷ": "j"}
_MOST_ACCENTS = 2000  # on a page
_FARTHEST_ACCENT = 200  # characters from its letter; PDFium sorts a line by where letters end
_SPACE = 32
_HIGHEST_ACCENT = 0.35  # in sizes; on capitals they are raised
_NARROWEST_SPACE = 0.08  # in sizes, between letters
_UNKNOWN = "\ufffd"
_SUPERIOR = 0.2  # sizes that the lower end of a raised digit stands above the baseline, at least
_SUPERIOR_SIZE = 0.6
_LEVEL = 0.12  # between baselines, in sizes
_ON_ONE_LINE = 0.7
_FARTHEST = 60_000.0  # points, of all that places a character; pages end at 14,400
_LEAST_SIZE = 2.0  # points; what is smaller is not the size of a font
_LEAST_HEIGHT = 0.1  # points, of what can be seen
_USUAL_SIZE = 10.0
_HEIGHTS = dict.fromkeys("bdfhklABCDEFGHIKLMNPRTUVXYZ0123456789", 0.68) | dict.fromkeys(
    "acemnorsuvwxz", 0.45
)
_VOWELS = frozenset("aeiouyAEIOUY")
_LEAST_JUDGED = 100  # words of Latin letters, before they are called no words
_LEAST_WITH_VOWELS = 0.5


@dataclass(slots=True)
class Piece:
    """A run of characters on one page.

    Attributes:
        left, right, base: where it begins and ends, and its baseline, in points.
        size: of the font, in points.
        glued: whether no space stands between it and the piece before it.
    """

    text: str
    left: float
    right: float
    base: float
    size: float
    bold: bool
    glued: bool

    @property
    def top(self) -> float:
        """Height of its capital letters above the page's lower edge, in points."""
        return self.base + 0.7 * self.size

    @property
    def bottom(self) -> float:
        """The lower end of its descenders, in points."""
        return self.base - 0.2 * self.size

    def is_level_with(self, other: "Piece") -> bool:
        """Whether two pieces stand on one line, be it as superscript or subscript of the other."""
        small, large = sorted((self, other), key=lambda piece: piece.size)
        middle = small.base + 0.3 * small.size
        return large.base - 0.15 * large.size <= middle <= large.base + 0.75 * large.size


def read_pages(data: bytes) -> list[list[Piece]]:
    """Return the pieces of each page, in the order in which the file has them.

    Raises:
        InputError: for a file that can't be opened, is protected by a password, has no text or too
            much of it, or whose fonts don't say which letters they show.
    """
    import pypdfium2

    try:
        document = pypdfium2.PdfDocument(data)
    except pypdfium2.PdfiumError as error:
        if "password" in str(error).lower():
            raise InputError("protected by a password; save it without") from error
        raise InputError("broken or cut off; fetch or save it again") from error
    try:
        number = len(document)
        if number > _MOST_PAGES:
            raise InputError(f"{number:,} pages, more than {_MOST_PAGES:,}; split it")
        pages = []
        characters = 0
        encodings: Counter[str] = Counter()
        for index in range(number):
            pieces = _read_page(document, index, encodings)
            characters += sum(len(piece.text) for piece in pieces)
            if characters > _MOST:
                raise InputError(f"more than {_MOST:,} characters of text; split it")
            pages.append(pieces)
    finally:
        document.close()
    _refuse_scans(pages)
    _refuse_unknown_letters(pages)
    return pages


def _refuse_scans(pages: list[list[Piece]]) -> None:
    bare = sum(len(pieces) < _FEWEST_WORDS for pieces in pages)
    if bare == len(pages):
        raise InputError(NO_TEXT)
    if bare > 1 and bare * 2 > len(pages):
        raise InputError(f"no text on {bare} of {len(pages)} pages: a scan; run OCR first")


def _refuse_unknown_letters(pages: list[list[Piece]]) -> None:
    unknown = known = words = pronounceable = 0
    for piece in (piece for pieces in pages for piece in pieces):
        odd = sum(_is_unknown(character) for character in piece.text)
        unknown += odd
        known += len(piece.text) - odd
        if piece.text.isascii() and piece.text.isalpha() and len(piece.text) > 2:
            words += 1
            pronounceable += not _VOWELS.isdisjoint(piece.text)
    few_vowels = words >= _LEAST_JUDGED and pronounceable < _LEAST_WITH_VOWELS * words
    if unknown > known or few_vowels:
        raise InputError("its fonts don't say which letters they show; run OCR first")


def _is_unknown(character: str) -> bool:
    return character == _UNKNOWN or not character.isprintable()


def _read_page(document: Any, index: int, encodings: Counter[str]) -> list[Piece]:
    import pypdfium2

    try:
        page = document[index]
        text = page.get_textpage()
    except pypdfium2.PdfiumError as error:
        raise InputError(f"page {index + 1} is broken; save the file again") from error
    try:
        number = text.count_chars()
        if number > _MOST_ON_PAGE:
            raise InputError(
                f"page {index + 1}: {number:,} characters, more than {_MOST_ON_PAGE:,}; split it"
            )
        turned = list(_find_pieces(text.raw, max(0, number), encodings))
    finally:
        text.close()
        page.close()
    if not turned:
        return []
    usual = Counter(turn for turn, _ in turned).most_common(1)[0][0]
    return [piece for turn, piece in turned if turn == usual]


class _Character(NamedTuple):
    """A character, or a space; of a space, only `made` counts.

    Attributes:
        made: whether PDFium has put it in.
        turn: in quarters, counter-clockwise.
    """

    number: int
    text: str
    made: bool
    begin: float = 0.0
    end: float = 0.0
    base: float = 0.0
    size: float = 0.0
    turn: int = 0


def _find_pieces(text: Any, number: int, encodings: Counter[str]) -> Iterator[tuple[int, Piece]]:
    """Yield the pieces of a page with the quarter turns of each, counter-clockwise."""
    fonts = _Fonts(text, number, encodings)
    piece: Piece | None = None
    last: Piece | None = None  # behind which PDFium has put a space
    turn, glued = 0, False
    characters = _put_accents(list(_read_characters(text, fonts)))
    for character, following in zip(characters, [*characters[1:], None], strict=False):
        if character.text == " ":
            if character.made and piece and following and _is_within_word(piece, following):
                continue
            if piece is not None:
                yield turn, piece
                last = piece if character.made else None
            piece = None
            continue
        if piece is not None:
            if turn == character.turn and _goes_on(piece, character):
                piece.text += character.text
                piece.right = max(piece.right, character.end)
                continue
            yield turn, piece
            glued = (
                _is_near(piece, character, 0.6) and _measure_rise(piece, character) < _ON_ONE_LINE
            )
        else:
            # PDFium puts spaces around what is raised
            rises = last is not None and _LEVEL < _measure_rise(last, character) < _ON_ONE_LINE
            glued = rises and last is not None and _is_near(last, character, 0.15)
        turn = character.turn
        bold = fonts.is_bold(character.number)
        piece = Piece(
            character.text,
            character.begin,
            character.end,
            character.base,
            character.size,
            bold,
            glued,
        )
    if piece is not None:
        yield turn, piece


def _goes_on(piece: Piece, character: _Character) -> bool:
    same = abs(character.size - piece.size) < 0.1 * piece.size
    level = abs(character.base - piece.base) < _LEVEL * piece.size
    return (
        same
        and level
        and -0.5 * character.size < character.begin - piece.right < 2 * character.size
    )


def _is_within_word(piece: Piece, character: _Character) -> bool:
    """Whether a letter stands so close to the one before it that there is no space between."""
    return (
        piece.text[-1].isalpha()
        and character.text.isalpha()
        and _measure_rise(piece, character) < _LEVEL
        and abs(character.begin - piece.right) < _NARROWEST_SPACE * character.size
    )


def _is_near(piece: Piece, character: _Character, most: float) -> bool:
    """Whether a character follows a piece at no more than so many sizes."""
    return character.begin >= piece.left and character.begin - piece.right < most * character.size


def _measure_rise(piece: Piece, character: _Character) -> float:
    """Return how far apart the baselines are, in the larger size."""
    return abs(character.base - piece.base) / max(character.size, piece.size)


def _read_characters(text: Any, fonts: "_Fonts") -> Iterator[_Character]:
    from pypdfium2 import raw

    left, right, bottom, top, x, y = (ctypes.c_double() for _ in range(6))
    edges = [ctypes.byref(edge) for edge in (left, right, bottom, top)]
    origin = ctypes.byref(x), ctypes.byref(y)
    matrix = raw.FS_MATRIX()
    units, scale, turn = -1.0, 1.0, 0
    raised = False
    for index, code in enumerate(fonts.codes):
        shown = fonts.read_code(index) or _name(code)
        if shown.isspace():
            yield _Character(index, " ", bool(raw.FPDFText_IsGenerated(text, index)))
            units, raised = -1.0, False
            continue
        raw.FPDFText_GetCharBox(text, index, *edges)
        raw.FPDFText_GetCharOrigin(text, index, *origin)
        given = raw.FPDFText_GetFontSize(text, index)
        if given != units:
            units = given
            raw.FPDFText_GetMatrix(text, index, matrix)
            turn = _count_quarters(matrix.a, matrix.b)
            scale = math.hypot(matrix.c, matrix.d) or 1.0
        begin, end, base = _turn((left, right, bottom, top, x, y), turn)
        size = units * scale
        if size < _LEAST_SIZE:
            size = fonts.measure(index)
        # Fonts may have raised digits of their own, on the baseline of the others.
        raised = turn == 0 and shown in ("0123456789,–-" if raised else "0123456789")
        raised = raised and bottom.value - base > _SUPERIOR * size
        if raised:
            base, size = base + _SUPERIOR * size, _SUPERIOR_SIZE * size
        # a sum is no number if one of its parts is none
        if abs(begin) + abs(end) + abs(base) + size < _FARTHEST:
            yield _Character(index, shown, False, begin, end, base, size, turn)


def _put_accents(characters: list[_Character]) -> list[_Character]:
    """Return characters with those accents put on letters that are printed above or below them, as
    TeX does with a font that has no letters with accents."""
    accents = [at for at, character in enumerate(characters) if character.text in _ACCENTS]
    left_out = set()
    for at in accents[:_MOST_ACCENTS]:
        accent = characters[at]
        middle = (accent.begin + accent.end) / 2
        first = max(0, at - _FARTHEST_ACCENT)
        for number, letter in enumerate(characters[first : at + _FARTHEST_ACCENT], first):
            rise = (accent.base - letter.base) / max(letter.size, 1.0)
            if (
                letter.begin <= middle <= letter.end
                and -_LEVEL < rise < _HIGHEST_ACCENT
                and letter.text not in _ACCENTS
                and letter.text.isalpha()
            ):
                bare = _DOTLESS.get(letter.text, letter.text)
                whole = unicodedata.normalize("NFC", bare + _ACCENTS[accent.text])
                characters[number] = letter._replace(text=whole)
                left_out.add(at)
                break
    return [character for at, character in enumerate(characters) if at not in left_out]


def _name(code: int) -> str:
    """Return the text of a code; U+FFFD for what is no character."""
    if code == _DIVIDING_HYPHEN:
        return "-"
    if code < _SPACE:
        return " " if code in (0, 9, 10, 13) else _UNKNOWN
    known = code <= sys.maxunicode and not 0xD800 <= code < 0xE000
    return chr(code).translate(_LIGATURES) if known else _UNKNOWN


class _Fonts:
    """The fonts of a page.

    Args:
        encodings: how many pages before have those of TeX, "first" and "cork"; this page's are
            counted too.

    Attributes:
        codes: of its characters, as PDFium gives them.
    """

    def __init__(self, text: Any, number: int, encodings: Counter[str]) -> None:
        from pypdfium2 import raw

        self._text = text
        self._encodings = encodings
        self.codes = [raw.FPDFText_GetUnicode(text, index) for index in range(number)]
        self._bold: dict[int | None, bool] = {}
        self._first, self._cork = self._tell_encodings()
        self._sizes: dict[int | None, float] | None = None

    def _find(self, index: int) -> int | None:
        """Return the address of a character's font."""
        from pypdfium2 import raw

        shown = raw.FPDFText_GetTextObject(self._text, index)
        font = raw.FPDFTextObj_GetFont(shown) if shown else None
        return ctypes.cast(font, ctypes.c_void_p).value if font else None

    def _tell_encodings(self) -> tuple[set[int | None], set[int | None]]:
        """Return the fonts that don't name their letters: the first ones of TeX, and later ones, by
        the ligatures in words. Fonts without ligatures are as the later ones beside them, and on a
        page without any as those of most pages before."""
        in_words: dict[int | None, set[int]] = {}
        others: set[int | None] = set()
        for index, code in enumerate(self.codes):
            if code < _SPACE and code in _TEX:
                if self._is_in_word(index):
                    in_words.setdefault(self._find(index), set()).add(code)
                elif code in _CORK:
                    others.add(self._find(index))
        first = {font for font, codes in in_words.items() if codes & _FIRST_ONLY}
        cork = {font for font, codes in in_words.items() if max(codes) >= _LIGATURE} - first
        self._encodings.update(first=bool(first), cork=bool(cork))
        if cork:
            cork |= others
        elif not first and self._encodings["cork"] > self._encodings["first"]:
            cork = in_words.keys() | others
        return first, cork - first - {None}

    def read_code(self, index: int) -> str:
        """Return the letters that a character's code stands for in a font that doesn't name them;
        "" if it names them."""
        code = self.codes[index]
        if (self._first or self._cork) and code in _CODES:
            font = self._find(index)
            if font in self._cork:
                return _CORK.get(code, "")
            if font in self._first and code in _MARKS:
                return _MARKS[code]
        return _TEX[code] if code in _TEX and self._is_in_word(index) else ""

    def _is_in_word(self, index: int) -> bool:
        """Whether a character can be seen, and a letter of the same font stands beside it."""
        from pypdfium2 import raw

        if raw.FPDFText_IsGenerated(self._text, index):
            return False
        edges = [ctypes.c_double() for _ in range(4)]
        raw.FPDFText_GetCharBox(self._text, index, *map(ctypes.byref, edges))
        font = self._find(index)
        return (
            font is not None
            and edges[3].value - edges[2].value > _LEAST_HEIGHT
            and any(
                chr(min(self.codes[at], 0x7F)).isalpha() and self._find(at) == font
                for at in (index - 1, index + 1)
                if 0 <= at < len(self.codes)
            )
        )

    def is_bold(self, index: int) -> bool:
        """Whether a character's font is, by its name, its flags or its weight."""
        from pypdfium2 import raw

        font = self._find(index)
        if font not in self._bold:
            name, flags = ctypes.create_string_buffer(100), ctypes.c_int()
            raw.FPDFText_GetFontInfo(self._text, index, name, len(name), ctypes.byref(flags))
            self._bold[font] = (
                bool(flags.value & _FORCED_BOLD)
                or _BOLD.search(name.value.decode("latin-1")) is not None
                or raw.FPDFText_GetFontWeight(self._text, index) >= _BOLD_WEIGHT
            )
        return self._bold[font]

    def measure(self, index: int) -> float:
        """Return the size of a font of pictures of letters, for which the file gives none, by the
        height of its letters."""
        if self._sizes is None:
            self._sizes = self._measure_all()
        return self._sizes.get(self._find(index), _USUAL_SIZE)

    def _measure_all(self) -> dict[int | None, float]:
        from pypdfium2 import raw

        heights: dict[int | None, list[float]] = {}
        left, right, bottom, top, x, y = (ctypes.c_double() for _ in range(6))
        edges = [ctypes.byref(edge) for edge in (left, right, bottom, top)]
        for index, code in enumerate(self.codes):
            share = _HEIGHTS.get(chr(code)) if code < 128 else None
            if share is not None:
                raw.FPDFText_GetCharBox(self._text, index, *edges)
                raw.FPDFText_GetCharOrigin(self._text, index, ctypes.byref(x), ctypes.byref(y))
                high = max(abs(edge.value - y.value) for edge in (bottom, top))
                heights.setdefault(self._find(index), []).append(high / share)
        return {font: max(1.0, median(found)) for font, found in heights.items()}


def _count_quarters(a: float, b: float) -> int:
    if abs(a) >= abs(b):
        return 0 if a >= 0 else 2
    return 1 if b > 0 else 3


def _turn(place: tuple[ctypes.c_double, ...], quarters: int) -> tuple[float, float, float]:
    """Return where a character begins and ends, and its baseline, as if it ran to the right."""
    left, right, bottom, top, x, y = (number.value for number in place)
    if quarters == 0:
        return min(left, x), right, y
    if quarters == 1:
        return bottom, top, -x
    if quarters == 2:
        return -right, -left, -y
    return -top, -bottom, x
