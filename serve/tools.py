"""The tools that agents call: what each takes, what it returns, and how long that may be.

What a tool returns is what the API of `citespan serve` and `--json` return, but for a list that is
cut where the answer would be too long; `left_off` then says how much, and how to get it.
"""

import gzip
import hashlib
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import BoundedSemaphore
from typing import Annotated, Any, Final

import orjson
from elasticsearch import Elasticsearch
from pydantic import Field, create_model

from citespan.citing import cited
from citespan.pipelines.citations.checking import STATUSES, Status
from citespan.pipelines.errors import CitespanError, ElasticsearchUnreachableError, InputError
from citespan.pipelines.ranking.evidence import DIFFERS_MEANS, FOUND_MEANS
from citespan.pipelines.ranking.ranker import DEFAULT
from citespan.pipelines.reformulation.options import Options
from citespan.serve.access import Right
from citespan.serve.check_process import MANUSCRIPT, RESULT, CheckProcess
from citespan.serve.checks import find_manuscript
from citespan.serve.method import LONGEST_NAME, MOST_PASSAGES, Parameters
from citespan.serve.problems import BusyError
from citespan.serve.site import Site
from citespan.serve.views.answers import MOST_ANSWERS, AnswersQuery, describe_found_answers
from citespan.serve.views.articles import (
    SearchQuery,
    SentencesQuery,
    Words,
    describe_articles,
    describe_passages,
    read_shown,
)
from citespan.serve.views.cited import CitedQuery
from citespan.serve.views.evidence import MOST_ARTICLES, CorpusQuery, describe_evidence

MEANINGS: Final[Mapping[str, str]] = {
    "found": FOUND_MEANS,
    "differs": DIFFERS_MEANS,
    "weak": "Weak means that the best passage is probably no evidence.",
    "none": "None means that the article has no passage about it.",
    "not indexed": "Not indexed means that the cited article is not there to be searched.",
    "unresolved": "Unresolved means that it is not known which article is cited; `problem` says "
    "why.",
}
"""What each status of a citation means; the first four are the verdicts of a search too."""
MOST_BYTES = 20_000
"""How long an answer may be, unless another limit is given."""
_LONGEST_TEXT = 5_000_000
_MOST_LISTED = 100
_MOST_FILES = 10
_MOST_CITED = 20
_AT_ONCE = 2
_SECONDS_TO_WAIT = 60
_KEPT = 4
_FRAME = 200  # bytes that are kept for what the protocol puts around an answer
_NOTE = 400  # the same with `left_off`
_SHORTEST = 30


First = Annotated[
    int, Field(description="How many to leave out, which an answer before had.", ge=0, le=9900)
]


class PagedArguments(Parameters):
    """What tools take that find a list anew, and leave out what an answer before had."""

    first: First = 0


def _choose(query: type[Parameters], *names: str) -> type[Parameters]:
    """Return what a tool takes: some parameters of the API, and `first`."""
    fields = {name: query.model_fields[name] for name in names}
    chosen: dict[str, Any] = {name: (field.annotation, field) for name, field in fields.items()}
    return create_model(query.__name__, __base__=PagedArguments, __doc__=query.__doc__, **chosen)


class CheckArguments(PagedArguments):
    """A manuscript: a file, or its text with the files that it names."""

    path: Annotated[
        str | None,
        Field(description="The manuscript's file on the machine of this server.", max_length=4000),
    ] = None
    text: Annotated[
        str | None, Field(description="The manuscript's text.", max_length=_LONGEST_TEXT)
    ] = None
    name: Annotated[
        str,
        Field(
            description="What the file with the text is called: its ending says the format, such "
            "as .md, .tex or .txt.",
            min_length=1,
            max_length=LONGEST_NAME,
        ),
    ] = "manuscript.md"
    files: Annotated[
        dict[str, Annotated[str, Field(max_length=_LONGEST_TEXT)]],
        Field(
            description="The .bib files that the text names, by their names.",
            max_length=_MOST_FILES,
        ),
    ] = {}  # noqa: RUF012  Pydantic copies it
    status: Annotated[
        list[Status],
        Field(description="Only citations of these; none named for all.", max_length=len(STATUSES)),
    ] = []  # noqa: RUF012  Pydantic copies it


class ArticlesArguments(Parameters):
    """Which articles to list."""

    first: First = 0
    q: Words = None
    top: Annotated[int, Field(description="Number of articles at most.", ge=1, le=_MOST_LISTED)] = (
        20
    )


@dataclass(frozen=True, slots=True)
class Desk:
    """What the tools answer with.

    Attributes:
        site: what the views of the page answer with.
        may_read: whether a manuscript may be named by its path on this machine.
        checked: the last checks, by what was checked, for whoever asks for the rest.
    """

    site: Site
    may_read: bool
    checked: "OrderedDict[str, dict[str, Any]]" = field(default_factory=OrderedDict)
    turns: BoundedSemaphore = field(default_factory=lambda: BoundedSemaphore(_AT_ONCE))


def _cite(client: Elasticsearch, query: CitedQuery, _options: Options) -> dict[str, Any]:
    found = cited(query.article, client=client)
    return found.to_json() | {
        "sentences": [asdict(sentence) for sentence in found.cited[:_MOST_CITED]]
    }


def _check(asked: CheckArguments, desk: Desk) -> dict[str, Any]:
    key = hashlib.sha256(repr((asked.path, asked.text, asked.name, asked.files)).encode())
    digest = key.hexdigest()
    checked = desk.checked.get(digest) if asked.first else None
    if checked is None:
        checked = desk.checked[digest] = _run_check(asked, desk)
        if len(desk.checked) > _KEPT:
            desk.checked.popitem(last=False)
    wanted = asked.status or STATUSES
    citations = [citation for citation in checked["citations"] if citation["status"] in wanted]
    uncited = [reference["label"] or reference["key"] for reference in checked["uncited"]]
    return checked | {"uncited": uncited, "citations": citations}


def _run_check(asked: CheckArguments, desk: Desk) -> dict[str, Any]:
    """Check a manuscript in a process of its own, as the page does."""
    if (asked.path is None) == (asked.text is None):
        raise InputError("name the manuscript either by its path or by its text")
    if asked.path is not None and not desk.may_read:
        raise InputError("this server reads no files of its machine: send the manuscript as text")
    if not desk.turns.acquire(timeout=_SECONDS_TO_WAIT):
        raise BusyError("other manuscripts are being checked; ask again in a minute")
    try:
        with TemporaryDirectory(prefix="citespan-mcp-") as made:
            folder = Path(made)
            name = _lay_out(asked, folder)
            site = desk.site
            process = CheckProcess(folder, name, site.check_seconds, DEFAULT, site.server.kept)
            for message in process.messages():
                if problem := message.get("problem"):
                    kind = ElasticsearchUnreachableError if problem["passes"] else CitespanError
                    raise kind(problem["message"])
            result: dict[str, Any] = orjson.loads(gzip.decompress((folder / RESULT).read_bytes()))
            return result
    finally:
        desk.turns.release()


def _lay_out(asked: CheckArguments, folder: Path) -> str:
    """Put a manuscript where a check looks for it; return its name."""
    sent = folder / MANUSCRIPT
    if asked.path is not None:
        file = Path(asked.path).expanduser()
        if not file.is_file():
            raise InputError(f"{asked.path}: no such file on the machine of this server")
        sent.symlink_to(file.parent.absolute())
        return file.name
    written = {asked.name: asked.text or "", **asked.files}
    name = find_manuscript(written)
    sent.mkdir()
    for file_name, text in written.items():
        (sent / file_name).write_text(text, encoding="utf-8")
    return name


_TEXT: Final = {"type": "string"}
_NUMBER: Final = {"type": "integer"}
_SHARE: Final = {"type": ["number", "null"]}
_NAME: Final = {"type": ["string", "null"]}


def _object(**members: Any) -> dict[str, Any]:
    return {"type": "object", "properties": members, "required": [*members]}


def _list(**members: Any) -> dict[str, Any]:
    return {"type": "array", "items": _object(**members)}


_PASSAGE: Final = (
    dict.fromkeys(("article", "section", "text"), _TEXT)
    | dict.fromkeys(("rank", "first_sentence", "last_sentence", "start", "end"), _NUMBER)
    | {"probability": _SHARE}
)
_CITATION: Final = (
    dict.fromkeys(("id", "text", "problem"), _TEXT)
    | {"start": _NUMBER, "end": _NUMBER, "article": _NAME, "support": _SHARE}
    | {"status": {"enum": [*STATUSES]}, "results": _list()}
)
_SENTENCE: Final = {"number": _NUMBER, "start": _NUMBER, "end": _NUMBER, "text": _TEXT}
_MEANINGS: Final = {"type": "object", "additionalProperties": _TEXT}
_VERDICT: Final = {"enum": ["found", "differs", "weak", "none"]}
_LEFT_OFF: Final = {"type": ["object", "null"], "properties": {"count": _NUMBER, "how": _TEXT}}


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool.

    Attributes:
        takes: its arguments.
        listed: the list in what it returns that is cut where that is too long.
        members: JSON schemas of members that it always returns.
        describe: returns what the API does, for `query`; None for a check.
        query: what the API is asked; None for the arguments themselves.
        most: how many the API may be asked for.
        needs: what somebody has to be allowed.
    """

    name: str
    title: str
    description: str
    takes: type[Parameters]
    listed: str
    members: Mapping[str, Any]
    describe: Callable[[Any, Any, Options], dict[str, Any]] | None
    query: type[Parameters] | None = None
    most: int = 0
    needs: Right = "read"

    def ask(self, client: Elasticsearch | None, asked: Any, desk: Desk) -> dict[str, Any]:
        """Return what it says to its arguments, with what the verdicts in it mean."""
        if self.describe is None:
            described = _check(asked, desk)
        else:
            described = self.describe(client, self._widen(asked), desk.site.options)
        items = described[self.listed]
        if "meanings" in self.members:
            verdicts = [described.get("verdict")]
            verdicts += [result.get("verdict", result.get("status")) for result in items]
            named = {
                verdict: meaning for verdict, meaning in MEANINGS.items() if verdict in verdicts
            }
            described = described | {"meanings": named}
        if isinstance(asked, PagedArguments):
            described = described | {self.listed: items[asked.first :]}
        return described

    def _widen(self, asked: Any) -> Any:
        """Return what the API is asked: of a list, also what is left out."""
        if self.query is None:
            return asked
        said = asked.model_dump(exclude={"first"})
        if said.get("top") is not None:
            said["top"] = min(asked.first + said["top"], self.most)
        return self.query(**said)

    @property
    def returns(self) -> dict[str, Any]:
        """The JSON schema of what it returns."""
        return _object(**self.members, left_off=_LEFT_OFF)


TOOLS: Final = (
    Tool(
        "search",
        "Find the passages of an article",
        "The passages of one article that a citing sentence is about, with their offsets into its "
        f"text and the verdict found, differs, weak or none. {FOUND_MEANS} Read the passages.",
        _choose(SearchQuery, "citance", "article", "top"),
        "results",
        {"article": _TEXT, "verdict": _VERDICT, "support": _SHARE, "meanings": _MEANINGS}
        | {"results": _list(**_PASSAGE)},
        describe_passages,
        SearchQuery,
        MOST_PASSAGES,
    ),
    Tool(
        "search_all",
        "Find the articles with evidence for a sentence",
        "The best passages of all articles for a citing sentence, the best article first. "
        f"{FOUND_MEANS}",
        _choose(CorpusQuery, "citance", "top", "year"),
        "results",
        {"meanings": _MEANINGS, "results": _list(**_PASSAGE, verdict=_VERDICT)},
        describe_evidence,
        CorpusQuery,
        MOST_ARTICLES,
    ),
    Tool(
        "check",
        "Check the citations of a manuscript",
        "Each citation of a manuscript with its status: found, differs, weak, none, not indexed or "
        f"unresolved; and the passages of the cited article. {FOUND_MEANS} It takes seconds to "
        "minutes; with `first`, the same check goes on.",
        CheckArguments,
        "citations",
        {"totals": {"type": "object", "additionalProperties": _NUMBER}, "meanings": _MEANINGS}
        | {"citations": _list(**_CITATION)},
        None,
        needs="check",
    ),
    Tool(
        "show",
        "Read an article",
        "The sentences of an article in order, with their numbers, offsets and sections.",
        SentencesQuery,
        "sentences",
        {"article": _TEXT, "title": _TEXT, "count": _NUMBER, "sentences": _list(**_SENTENCE)},
        lambda client, query, _options: read_shown(client, query),
    ),
    Tool(
        "articles",
        "List or find articles",
        "The articles that can be searched, by id, or those that words or an identifier find, best "
        "first. `count` says how many there are in all.",
        ArticlesArguments,
        "articles",
        {"count": _NUMBER, "articles": _list(article=_TEXT, title=_TEXT, sentences=_NUMBER)},
        lambda client, asked, _options: describe_articles(client, asked.q, asked.top, asked.first),
    ),
    Tool(
        "answers",
        "Find answers to a research question",
        "The sentences of abstracts and articles that answer a research question, best first, each "
        "with the probability that it does. An answer may say yes or no: read it.",
        _choose(AnswersQuery, "question", "top", "year"),
        "results",
        {"question": _TEXT}
        | {"results": _list(rank=_NUMBER, sentence=_TEXT, title=_TEXT, start=_NUMBER, end=_NUMBER)},
        lambda client, query, _options: describe_found_answers(client, query),
        AnswersQuery,
        MOST_ANSWERS,
    ),
    Tool(
        "cited",
        "Read what an article is cited for",
        "Who cites an article: each citation with what it says and the passages for it, and the "
        f"{_MOST_CITED} sentences that are cited most. Only citations by indexed articles are "
        "known, once `citespan link` has run.",
        _choose(CitedQuery, "article"),
        "links",
        {"article": _TEXT, "citations": _NUMBER, "sentences": _list(**_SENTENCE)}
        | {"links": _list(citing=_TEXT, citation=_TEXT, query=_TEXT)},
        _cite,
        CitedQuery,
    ),
)


def bound(tool: Tool, described: dict[str, Any], first: int, most: int) -> dict[str, Any]:
    """Return what a tool says with its list cut to what fits, and `left_off`.

    Args:
        first: the number of the list's first item, as the tool counts them.
        most: bytes of the answer, which has it twice: as an object, and as text.
    """
    whole = described | {"left_off": None}
    if _measure(whole) <= most - _FRAME:
        return whole
    items = described[tool.listed]
    head = described | {tool.listed: [], "left_off": None}
    room = most - _NOTE
    is_short = _measure(head) > room // 2
    head = _shorten_to(head, room // 2) if is_short else head
    room -= _measure(head)
    kept = []
    for item in items:
        room -= _measure(item)
        if room < 0:
            break
        kept.append(item)
    if items and not kept:
        room += _measure(items[0])
        kept = [_shorten_to(items[0], room) | {"shortened": True}]
        is_short = True
    left = len(items) - len(kept)
    how = [f"call {tool.name} again with first={first + len(kept)}"] if left else []
    how += ["long texts end with …, long lists are cut; show has articles whole"] * is_short
    note = {"count": left, "how": "; ".join(how)} if how else None
    return head | {tool.listed: kept, "left_off": note}


def _measure(value: Any) -> int:
    """Return the bytes of a value as an object and, once more, as a text with escaped quotes."""
    data = orjson.dumps(value, option=orjson.OPT_SERIALIZE_NUMPY)
    return 2 * len(data) + data.count(b'"') + 2 * data.count(b"\\") + 4


def _shorten_to(value: dict[str, Any], most: int) -> dict[str, Any]:
    """Return a value whose texts and lists are as long as fits, each as long as the others."""
    longest = _LONGEST_TEXT
    short = value
    while _measure(short) > most and longest > _SHORTEST:
        longest //= 2
        short = _shorten(value, longest)
    return short


def _shorten(value: Any, longest: int) -> Any:
    match value:
        case str() if len(value) > longest:
            return value[:longest] + " …"
        case dict():
            most = max(longest // 10, 20)  # names of members stay
            return {key: _shorten(value[key], longest) for key in list(value)[:most]}
        case list():
            return [_shorten(part, longest) for part in value[: max(longest // 100, 1)]]
        case _:
            return value
