"""PDFs that tests make: papers of two columns, and files that can't be read."""

import re
from collections.abc import Sequence
from pathlib import Path

from reportlab.lib.pagesizes import A4
from reportlab.lib.pdfencrypt import StandardEncryption
from reportlab.pdfbase.pdfmetrics import stringWidth
from reportlab.pdfgen.canvas import Canvas

MARGIN, TOP, BOTTOM, GUTTER = 50, 780, 70, 20
FONT, BOLD = "Times-Roman", "Times-Bold"
RAISED = re.compile(r"\^([^^]+)\^")
HEAD = "Made Journal of Yeast"


class Paper:
    """Lays text out in columns.

    In texts, "^1,2^" is raised, and a soft hyphen is where a word may be divided.

    Args:
        columns: on each page.
        is_headed: whether pages have running heads and numbers.
    """

    def __init__(
        self, file: Path, columns: int = 2, is_headed: bool = True, password: str = ""
    ) -> None:
        encrypted = StandardEncryption(password) if password else None
        self.canvas = Canvas(str(file), A4, invariant=True, encrypt=encrypted)
        self.width = (A4[0] - 2 * MARGIN - (columns - 1) * GUTTER) / columns
        self.columns = columns
        self.is_headed = is_headed
        self.page = 1
        self.column = 0
        self.top = self.y = float(TOP)
        self.notes: list[str] = []
        self._decorate()

    def save(self) -> None:
        """Write the file."""
        self._write_notes()
        self.canvas.save()

    def write_front(self, title: str, authors: str) -> None:
        """Write what spans the columns of the first page."""
        self.canvas.setFont(BOLD, 18)
        self.canvas.drawString(MARGIN, self.y, title)
        self.canvas.setFont(FONT, 10)
        self.canvas.drawString(MARGIN, self.y - 20, authors)
        self.top = self.y = self.y - 50

    def write(
        self, text: str, size: float = 10, font: str = FONT, indent: float = 0, hang: float = 0
    ) -> None:
        """Write a paragraph."""
        rest = text.split(" ")
        left = indent
        while rest:
            line, rest = self._take_line(rest, self.width - left, size, font)
            self._feed(size)
            self._draw(line, self.left + left, size, font)
            left = hang

    def write_heading(self, text: str, size: float = 12) -> None:
        self.y -= 6
        self.write(text, size, BOLD)
        self.y -= 2

    def write_caption(self, text: str) -> None:
        self.y -= 10
        self.write(text, 8)
        self.y -= 10

    def write_table(self, rows: Sequence[Sequence[str]]) -> None:
        for row in rows:
            self._feed(9)
            self.canvas.setFont(FONT, 9)
            for number, cell in enumerate(row):
                self.canvas.drawString(self.left + 60 * number, self.y, cell)

    def add_note(self, text: str) -> None:
        """Write a note at the foot of this column."""
        self.notes.append(text)

    def end_page(self) -> None:
        page = self.page
        while self.page == page:
            self._end_column()

    @property
    def left(self) -> float:
        return MARGIN + self.column * (self.width + GUTTER)

    def _feed(self, size: float) -> None:
        if self.y - 1.2 * size < BOTTOM + 20 * len(self.notes):
            self._end_column()
        self.y -= 1.2 * size

    def _write_notes(self) -> None:
        notes, self.notes = self.notes, []
        self.y = BOTTOM + 20.0 * len(notes)
        for note in notes:
            self.write(note, 7)

    def _end_column(self) -> None:
        self._write_notes()
        self.column += 1
        if self.column == self.columns:
            self.canvas.showPage()
            self.page, self.column, self.top = self.page + 1, 0, float(TOP)
            self._decorate()
        self.y = self.top

    def _decorate(self) -> None:
        if self.is_headed:
            self.canvas.setFont(FONT, 8)
            self.canvas.drawString(MARGIN, 810, f"{HEAD} {self.page}")
            self.canvas.drawString(A4[0] / 2, 30, str(self.page))

    def _take_line(
        self, words: list[str], width: float, size: float, font: str
    ) -> tuple[list[str], list[str]]:
        line: list[str] = []
        for number, word in enumerate(words):
            shown = " ".join([*line, word]).replace("\xad", "").replace("^", "")
            if stringWidth(shown, font, size) <= width:
                line.append(word)
                continue
            first, divided, second = word.partition("\xad")
            begun = " ".join([*line, first]) + "-"
            if divided and stringWidth(begun, font, size) <= width:
                return [*line, first + "-"], [second, *words[number + 1 :]]
            return (line, words[number:]) if line else ([word], words[number + 1 :])
        return line, []

    def _draw(self, words: Sequence[str], left: float, size: float, font: str) -> None:
        for word in words:
            for number, part in enumerate(RAISED.split(word.replace("\xad", ""))):
                high, rise = (0.65 * size, 0.35 * size) if number % 2 else (size, 0)
                self.canvas.setFont(font, high)
                self.canvas.drawString(left, self.y + rise, part)
                left += stringWidth(part, font, high)
            left += stringWidth(" ", font, size)


SENTENCES = (
    "Made yeast grows on sugar in every tank that has been filled.^1,2^",
    "The inter\xadaction of both strains is seen in cold water, and no growth fol\xadlows.",
    "We saw well-known cells divide within two hours^3^ and then rest.",
    "Nothing else was seen, since the well-known lamps were off at night.",
)
ENTRIES = (
    "1. Ito A, Ry B. Growth of yeast on sugar in tanks. J Made Yeast. 2001;3:1-9.",
    "2. Ry B. Tanks and what they hold in colder years. J Made Yeast. 2002;4:11-19.",
    "3. Ode C, Ito A. Cells that divide and rest at night. J Made Yeast. 2003;5:21-29.",
)


def write_paragraph(number: int) -> str:
    """Return what the paper says of a tank."""
    return f"Tank {number} was seen. " + " ".join(SENTENCES[number % 3 :])


def write_paper(file: Path) -> None:
    """Write a paper with all that a reader has to tell apart."""
    paper = Paper(file)
    paper.write_front("Growth of made yeast in tanks", "Ann Ito and Ben Ry, Made Institute")
    paper.write_heading("Abstract")
    paper.write("Yeast is grown in tanks. It grows on sugar and rests at night.")
    paper.write_heading("1 Introduction")
    for number in range(4):
        paper.write(write_paragraph(number), indent=12)
    paper.add_note("^1^ Tanks are filled by hand, as the first note says.")
    for number in range(4, 30):
        paper.write(write_paragraph(number), indent=12)
    paper.write_heading("2 Methods")
    paper.write_heading("2.1 Tanks", 10.9)
    paper.write("Tanks were built of wood. " + " ".join(SENTENCES), indent=12)
    paper.write_caption("Table 1. Tanks and what was in them when the lamps went off.")
    paper.write_table([("Tank", "Sugar", "Yeast"), *((str(n), "1.5", "20.7") for n in range(6))])
    paper.write_caption("Figure 1: Growth in the first tank.")
    paper.write("The end of the methods stands below the figure.", indent=12)
    paper.write_heading("References")
    for entry in ENTRIES:
        paper.write(entry, 8, hang=12)
    paper.save()


def write_scan(file: Path, pages: int = 2) -> None:
    """Write pages that show a picture of lines and no text."""
    canvas = Canvas(str(file), A4, invariant=True)
    for _ in range(pages):
        for number in range(40):
            canvas.rect(MARGIN, 100 + 15 * number, 400, 8, fill=1)
        canvas.showPage()
    canvas.save()


def write_long(file: Path, pages: int) -> None:
    """Write a text of a few lines on each of many pages."""
    paper = Paper(file, columns=1)
    for number in range(pages):
        paper.write(f"Page {number} has words. " + " ".join(SENTENCES))
        if number + 1 < pages:
            paper.end_page()
    paper.save()


def write_objects(file: Path, *objects: bytes) -> None:
    """Write a file of one page: its third object and those behind it are given."""
    data = b"%PDF-1.5\n"
    first = b"<</Type/Catalog/Pages 2 0 R>>", b"<</Type/Pages/Kids[3 0 R]/Count 1>>"
    for number, body in enumerate((*first, *objects), 1):
        data += b"%d 0 obj\n%b\nendobj\n" % (number, body)
    file.write_bytes(data + b"trailer\n<</Size %d/Root 1 0 R>>\n%%%%EOF\n" % (len(objects) + 3))


def write_lines(
    file: Path, *lines: bytes, font: bytes = b"", width: int = 600, raised: bytes = b""
) -> None:
    """Write lines in PDF's notation of strings, in a font that PDF knows; without one in a font of
    drawings whose names say nothing: all are rectangles, of 500 to an em, with a width of `width`,
    those of some characters in the upper half of a line.
    """
    drawings = (b"600 0 0 %d 500 700 d1 0 %d 500 %d re f" % (y, y, 700 - y) for y in (0, 400))
    codes = [*range(11, 32), *range(33, 128)]
    drawn = (
        b"<</Type/Font/Subtype/Type3/FontBBox[0 0 600 700]/FontMatrix[.001 0 0 .001 0 0]"
        b"/FirstChar 0/LastChar 127/Widths[%b]/Encoding<</Differences[%b]>>/CharProcs<<%b>>>>"
    ) % (
        b"%d " % width * 128,
        b" ".join(b"%d /g%d" % (code, code) for code in codes),
        b" ".join(b"/g%d %d 0 R" % (code, 7 if code in raised else 6) for code in codes),
    )
    content = b"BT /F 10 Tf 50 712 Td 12 TL %b ET" % b" ".join(b"T* (%b) Tj" % x for x in lines)
    write_objects(
        file,
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Contents 4 0 R"
        b"/Resources<</Font<</F 5 0 R>>>>>>",
        b"<</Length %d>>stream\n%b\nendstream" % (len(content), content),
        b"<</Type/Font/Subtype/Type1/BaseFont/%b>>" % font if font else drawn,
        *(b"<</Length %d>>stream\n%b\nendstream" % (len(each), each) for each in drawings),
    )


if __name__ == "__main__":
    write_paper(Path(__file__).parents[1] / "data" / "readers" / "pdf" / "made.pdf")
