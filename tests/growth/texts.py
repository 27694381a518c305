"""Inputs that repeat what is hard for a reader, or for what is done with a text."""

from collections.abc import Callable, Mapping
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory
from zipfile import ZIP_DEFLATED, ZipFile

from made_pdfs import write_long

Make = Callable[[int], bytes]


def repeat(piece: str, before: str = "", after: str = "") -> Make:
    """Return what makes inputs of about a size."""
    encoded = piece.encode()
    return lambda size: before.encode() + encoded * (size // len(encoded)) + after.encode()


def _number(piece: str, before: str = "", after: str = "") -> Make:
    """Return what makes inputs whose pieces have numbers, so that no two are the same."""
    length = len(piece.format(10_000))
    return lambda size: (
        before + "".join(map(piece.format, range(size // length))) + after
    ).encode()


TEXTS = (
    *("[1] ", "(Smith, 2010; Smith, 2010a) ", "Smith et al. (2010) and Brown ", "; Smith [2] "),
    *(
        "(a",
        "(ab) ",
        "a (",
        "[",
        "(",
        "((((1",
        "Aa",
        "a-",
        "'",
        '"',
        ".",
        "?!",
        "...",
        "¹",
        "\n \n",
    ),
    *("A. ", "a. B ", "a.1 ", "e.g. ", "et al. ", "1,2,3-", "a\n\n", "a\n", "  ", "12", "word12 "),
    *("mice.12,13 ", "(p53; ", "Fig. 1 ", "U.S.A. ", "whereas A, which ", "doi:10.1/a ", "<b>"),
    *(
        "https://a.b/",
        "&amp;",
        "\ufeff",
        "α",
        "In the of ",
        "Smith, Jones, Brown, and ",
        "van der ",
    ),
)
"""What is repeated in texts of sentences."""

_TITLES = (", J Bread 1", ", A (B", ": A, 1(", "? A of the b ", "A B. ", "———. ", "“a” ")
_AUTHORS = (" & Ito A", ", and A-1 Aa-", " and I", "Aa1", "de la ", ", A B-C", "'", "J.-", "A. ")
_MARKDOWN = (
    *("<sup>", "<sup>1", "a^b", "^1^", "a~b", "$a", "$a$", "[^a", "&amp;", "&", ":::\n"),
    *(
        "[@a ",
        "[@a; ",
        "[@a]",
        "[@a]: doi:b\n",
        "[@doi:10.1/a]",
        "@a",
        "<!--",
        "<!-- -->",
        "![",
        "[a](",
        "# a\n",
        "#",
        "- ",
        "> ",
        "*",
    ),
    *(
        "`",
        "_a",
        "|",
        "\\",
        "```\n",
        "~~~\na\n",
        "=\n",
        "a\n=\n",
        "1. a\n",
        "[1] ",
        "<a ",
        "{",
        " ",
    ),
    *("see @a [", "a\n\n", "\n", "---\n"),
)
_LATEX = (
    *(
        "\\newcommand{\\a}{b}",
        "\\newcommand{\\a}{\\a\\a} \\a ",
        "\\def\\a{",
        "\\input{a}",
        "\\title{",
    ),
    *("\\autocites{a}{b}", "\\cites{a}[", "\\SI{5}{", "\\SI", "\\bibitem[{", "$", "\\hyperref["),
    *(
        "\\citeproc{a}{",
        "\\vadjust pre{\\hypertarget{",
        "\\addcontentsline{a}",
        "\\section{References}a\n\n",
    ),
    *("\\bibinfo{", "\\href{\\doibase ", "\\penalty", "``"),
    *("\\begin{abstract}", "\\cite{a", "\\cite{a} ", "\\cite", "\\cite[", "~\\cite", "\\section{"),
    *(
        "\\section",
        "\\caption{",
        "\\begin{figure}",
        "\\begin{figure}\\caption{a}\\end{figure}",
        "~",
    ),
    *("\\footnote{", "\\footnote{a}", "\\bibitem{a} b ", "\\bibitem[", "\\bibitem[{a}", "{", "}"),
    *("\\abstract{", "\\abstract{a}", "\\begin{flushleft}{\\Large\\textbf{", "\\bmhead{a}"),
    *("\\bibitem{a} B\\newblock ", "\\bibitem{a}\\newblock A, "),
    *(
        "%",
        "%\n",
        "\\",
        "\\\\",
        "\\input{a}",
        "\\nocite{a}",
        "$",
        "\\'",
        "\\'{",
        "\\'{e}",
        " ",
        "\n",
    ),
    *("\\bibliography{a}", "\\begin{document}", "\\title{", "\\begin{table}", "\\label{", "\\par "),
)
_BIBTEX = (
    *(
        "@a{b}",
        "@a{b,",
        "@a{b,c={",
        "@a{b,c=d#",
        "@a",
        "@string{a=b}",
        "{",
        "@",
        "a=b,",
        "@a{b,}\n",
    ),
    *(
        "@comment{",
        "@preamble{\n",
        "@a{b\n",
        "@a(b,c={d})\n",
        '"',
        "@a{b, author={A and B}}\n",
        " ",
    ),
    *("\\'", "@a{,}\n"),
)
_XML = ("<p>a</p>", "<sec>", "<p/>", "<xref ref-type='bibr' rid='b'>1</xref>", "a ", "<sup>1</sup>")
_FIELDS = (
    "PMID- 1\n",
    "AB  - a\n",
    "      a\n",
    "AB  - METHODS: a ",
    "OAB - a\n",
    "\n",
    "LID - 1 [doi]\n",
)


def _jats(body: str, pieces: tuple[str, ...] = _XML) -> list[Make]:
    start, _, end = f"<article>{body}</article>".partition("…")
    return [repeat(piece, start, end) for piece in pieces]


_RIS = (
    *("TY  - JOUR\nER  - \n", "TY  - JOUR\n", "AU  - Ito, K\n", "a\n", "\n", "L1  - a\n"),
    *("ER  - \n", "TI  - ", "N1  - PMID: \n", " ", "UR  - doi:10.1/a\n"),
)


def _write_pages(size: int) -> bytes:
    with TemporaryDirectory() as folder:
        file = Path(folder) / "a.pdf"
        write_long(file, max(1, size // 400))
        return file.read_bytes()


def _pack(size: int) -> bytes:
    """Return a project whose manuscript includes a file and names a bibliography for every 100
    bytes."""
    packed = BytesIO()
    with ZipFile(packed, "w", ZIP_DEFLATED) as archive:
        numbers = range(size // 100)
        for number in numbers:
            archive.writestr(f"{number}.tex", "A b \\cite{c}.")
            archive.writestr(f"{number}.bib", f"@article{{k{number}, title={{A b}}}}")
        parts = "".join(f"\\input{{{number}}}" for number in numbers)
        named = ",".join(map(str, numbers))
        written = f"\\documentclass{{a}}\\begin{{document}}{parts}\\bibliography{{{named}}}"
        archive.writestr("main.tex", written)
    return packed.getvalue()


READERS: Mapping[str, tuple[str, list[Make]]] = {
    "docx": ("a.docx", []),  # the same XML as JATS, in an archive: see test_docx
    "jats": (
        "a.nxml",
        [
            *_jats("<body>…</body>"),
            *_jats("<front><article-meta><abstract>…</abstract></article-meta></front>"),
            *_jats(
                "<back><ref-list>…</ref-list></back>",
                ("<ref><mixed-citation>a</mixed-citation></ref>",),
            ),
            *_jats("<body><p><tex-math>…</tex-math></p></body>", ("\\begin{document}", "$")),
            *_jats("<body><p>…</p></body>", ("<tex-math>$</tex-math>", "<xref ref-type='bibr'/>")),
            _number(
                "<ref id='b{}'><mixed-citation>a</mixed-citation></ref>",
                "<article><back><ref-list>",
                "</ref-list></back></article>",
            ),
        ],
    ),
    "jsonl": (
        "a.jsonl",
        [
            *(
                repeat(piece, '{"id":"a","text":"b","references":["Ito A', '"]}')
                for piece in _AUTHORS
            ),
            *(
                repeat(piece, '{"id":"a","text":"b","references":["J. Ito, ', '"]}')
                for piece in _TITLES
            ),
            repeat('"a",', '{"id":"a","text":"b","references":[', '"a"]}'),
            repeat("\\n \\n", '{"id":"a","sections":[{"text":"', '"}]}'),
            repeat('{"id":"a","text":"b"}\n'),
            repeat("\n"),
            repeat("[", '{"id":'),
        ],
    ),
    "pdf": ("a.pdf", [_write_pages]),
    "latex": ("a.tex", [repeat(piece, "\\begin{document}\nA b.\n\n") for piece in _LATEX]),
    "library": ("a.ris", [repeat(piece, "TY  - JOUR\nTI  - a\n") for piece in _RIS]),
    "markdown": (
        "a.md",
        [
            *(repeat(piece, "A b.\n\n") for piece in _MARKDOWN),
            *(repeat(piece, "# a") for piece in (" ", "#", " #")),
            *(repeat(piece, "---\ntitle: a\n", "---\n") for piece in ("- a\n", "\n", "title:\n")),
            *(repeat(piece, "A b.\n\n# References\n\nIto A") for piece in _AUTHORS),
            _number("a [@k{}] b\n\n"),
            _number("[@k{}] "),
            _number("[^{}]: Ito K. Sugar feeds all yeast. 2001.\n", "A[^1] b.\n\n"),
            repeat("\n\ta", "A[^1] b.\n\n[^1]: Ito K. Sugar feeds all yeast. 2001."),
            repeat("[^1]", "A b.\n\n[^1]: Ito K. Sugar feeds all yeast. 2001.\n\n"),
        ],
    ),
    "medline": (
        "a.xml",
        [
            repeat(piece, "<PubmedArticleSet>", "</PubmedArticleSet>")
            for piece in ("<MedlineCitation>", "<MedlineCitation></MedlineCitation>", "<a/>", "a ")
        ],
    ),
    "project": ("a.zip", [_pack]),
    "pubmed": ("a.txt", [repeat(piece, "PMID- 1\nTI  - a\n") for piece in _FIELDS]),
    "pubmedqa": (
        "a.json",
        [
            repeat('"a",', '{"1":{"QUESTION":"a","CONTEXTS":[', '"a"]}}'),
            _number('"{}":{{"QUESTION":"a"}},', "{", '"a":{}}'),
        ],
    ),
    "scisumm": (
        "X00-0001/Reference_XML/X00-0001.xml",
        [
            repeat(piece, "<PAPER>", "</PAPER>")
            for piece in (
                "<S sid='1' ssid='1'>a</S>",
                "<S>",
                "&",
                "<S sid='1'",
                "<SECTION title='a'>",
            )
        ],
    ),
    "tac2014": (
        "D1401_SAMPLE/Documents_Text/a.txt",
        [repeat(piece) for piece in ("a. ", "\r", "\n", "A b.\n\n")],
    ),
    "tei": (
        "a.grobid.tei.xml",
        [
            repeat(piece, "<TEI><text><body><div>", "</div></body></text></TEI>")
            for piece in (
                "<p>a</p>",
                "<p/>",
                "<head>a</head>",
                "<ref type='bibr' target='#b'>1</ref>",
            )
        ],
    ),
    "text": (
        "a.txt",
        [
            *(
                repeat(piece)
                for piece in ("a. ", "\n", " \n", "References\n", "[1] a\n", " ", "1. ")
            ),
            *(repeat(piece, "A b.\n\nReferences\n\nIto A") for piece in _AUTHORS),
            *(
                repeat(piece, "A b.\n\nReferences\n\n")
                for piece in ("[1] Ito A. B.\n", "\n \n", "1 ")
            ),
        ],
    ),
}
"""By format: the file that a reader is given, and what it is filled with. A registered reader that
is not here fails the test."""

BIBLIOGRAPHIES = [
    *(("a.bib", repeat(piece)) for piece in _BIBTEX),
    *(("a.bib", repeat(piece, "@a{b,c={")) for piece in _BIBTEX),
    *(("a.bib", repeat(piece, "@a{b,file={")) for piece in (":", ";", "\\\\", "a:b:c;")),
    *(("a.ris", repeat(piece)) for piece in _RIS),
    *(
        ("a.json", repeat(piece, before, after))
        for piece, before, after in (
            ('{"id":"a","title":"b"},', "[", '{"id":"a","title":"b"}]'),
            ('{"family":"a"},', '[{"title":"b","author":[', '{"family":"a"}]}]'),
            ("PMID: ", '[{"title":"b","note":"', '"}]'),
            ("<sub>", '[{"title":"', '"}]'),
            ("[", '[{"title":"b","issued":', ""),
        )
    ),
    *(
        ("a.xml", repeat(piece, "<xml><records>", "</records></xml>"))
        for piece in (
            "<record><titles><title>a</title></titles></record>",
            "<record/>",
            "<record>",
            "<record><notes>PMID : </notes></record>",
        )
    ),
]
"""The name of a bibliography, and what it is filled with."""
