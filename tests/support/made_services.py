"""Europe PMC, NCBI's ID converter and its E-utilities in one server, with a thousand made articles.

It answers in the forms that the services document, and does to requests what a schedule says. What
article n is follows from its last digit:

- 0 to 4 have an open full text;
- 5 and 6 have an abstract in PubMed, and are not in PubMed Central;
- 7 is in PubMed without an abstract;
- 8 is in PubMed Central and not open, with an abstract, and has been retracted;
- 9 does not exist.
"""

import gzip
import json
import random
import re
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import count
from typing import Any
from urllib.parse import parse_qs, urlsplit

FIRST_PMID, FIRST_PMCID = 100_000, 500_000
OPEN, ABSTRACT, BARE, CLOSED, ABSENT = "full text", "abstract", "not open", "abstract", "unknown"
EXPECTED = (*[OPEN] * 5, ABSTRACT, ABSTRACT, BARE, CLOSED, ABSENT)
"""The outcome of article n, by its last digit."""
LICENCES = ("by/4.0", "by-nc/4.0")
STALL = 30.0

Fault = str
"""A key of `_Handler._misbehave`, or "" for none."""
FAULTS = ("busy", "busy with a time", "unavailable", "page", "truncated", "empty", "reset", "stall")
Schedule = Callable[[int], Fault]


def scheduled(seed: int, part: float, faults: tuple[Fault, ...] = FAULTS) -> Schedule:
    """So large a part of the requests has a fault of any kind."""
    return lambda number: (
        random.Random(seed * 1_000_003 + number).choice(faults)
        if random.Random(seed + number * 7919).random() < part
        else ""
    )


def always(fault: Fault) -> Schedule:
    """Every request has the same fault."""
    return lambda _: fault


def pmid(n: int) -> str:
    return str(FIRST_PMID + n)


def pmcid(n: int) -> str:
    return f"PMC{FIRST_PMCID + n}"


def doi(n: int) -> str:
    return f"10.1000/made.{n}"


def title(n: int) -> str:
    return f"Made article {n} about the growth of yeast number {n}"


def make_jats(n: int) -> str:
    """An article as Europe PMC's `fullTextXML` returns it."""
    licence = f"http://creativecommons.org/licenses/{LICENCES[n % 2]}/"
    return f"""<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE article PUBLIC "-//NLM//DTD JATS (Z39.96) Journal Archiving and Interchange DTD v1.4//EN"
 "JATS-archivearticle1-4.dtd">
<article xmlns:xlink="http://www.w3.org/1999/xlink" article-type="research-article"><front>
<journal-meta><journal-title-group><journal-title>Journal of Yeast</journal-title>
</journal-title-group></journal-meta><article-meta>
<article-id pub-id-type="pmcid">{pmcid(n)}</article-id>
<article-id pub-id-type="pmid">{pmid(n)}</article-id>
<article-id pub-id-type="doi">{doi(n)}</article-id>
<title-group><article-title>{title(n)}</article-title></title-group>
<contrib-group><contrib contrib-type="author"><name><surname>Ito</surname>
<given-names>Kim</given-names></name></contrib></contrib-group>
<pub-date pub-type="epub"><year>2011</year></pub-date>
<permissions><license xlink:href="{licence}"><license-p>Open.</license-p></license></permissions>
<abstract><p>Yeast number {n} grows on sugar.</p></abstract></article-meta></front>
<body><sec><title>Results</title>
<p>Yeast number {n} grew {n} times faster on sugar than on salt.</p></sec></body></article>"""


def make_record(n: int) -> str:
    """An article as `efetch` returns it."""
    abstract = notice = ""
    if n % 10 != 7:
        abstract = f"<AbstractText>The yeast number {n} grows on sugar.</AbstractText>"
        abstract = f"<Abstract>{abstract}</Abstract>"
    if n % 10 == 8:
        notice = '<CommentsCorrections RefType="RetractionIn"><RefSource>J Yeast</RefSource>'
        notice += '<PMID Version="1">1</PMID></CommentsCorrections>'
        notice = f"<CommentsCorrectionsList>{notice}</CommentsCorrectionsList>"
    return f"""<PubmedArticle><MedlineCitation Status="MEDLINE" Owner="NLM">
<PMID Version="1">{pmid(n)}</PMID><Article PubModel="Print"><Journal>
<JournalIssue CitedMedium="Internet"><PubDate><Year>2011</Year></PubDate></JournalIssue>
<Title>Journal of Yeast</Title></Journal><ArticleTitle>{title(n)}.</ArticleTitle>{abstract}
<AuthorList CompleteYN="Y"><Author ValidYN="Y"><LastName>Ito</LastName><ForeName>Kim</ForeName>
</Author></AuthorList><Language>eng</Language><PublicationTypeList>
<PublicationType UI="D016428">Journal Article</PublicationType></PublicationTypeList></Article>
{notice}</MedlineCitation><PubmedData><ArticleIdList>
<ArticleId IdType="pubmed">{pmid(n)}</ArticleId><ArticleId IdType="doi">{doi(n)}</ArticleId>
</ArticleIdList></PubmedData></PubmedArticle>"""


def make_result(n: int) -> dict[str, Any]:
    """An article as Europe PMC's `search` returns it with `resultType=core`."""
    result = {
        "id": pmid(n),
        "source": "MED",
        "pmid": pmid(n),
        "doi": doi(n),
        "title": f"{title(n)}.",
        "authorString": "Ito K.",
        "authorList": {"author": [{"fullName": "Ito K", "firstName": "Kim", "lastName": "Ito"}]},
        "pubYear": "2011",
        "isOpenAccess": "Y" if n % 10 < 5 else "N",
        "inEPMC": "Y" if n % 10 < 5 or n % 10 == 8 else "N",
    }
    if n % 10 < 5 or n % 10 == 8:
        result["pmcid"] = pmcid(n)
    if n % 10 < 5:
        result["license"] = "cc by"
    return result


@dataclass
class Log:
    """The requests that have come: when, to what, and whether they were answered well; and to
    which services an API key was sent."""

    requests: list[tuple[float, str, str, bool]] = field(default_factory=list)
    keys: set[str] = field(default_factory=set)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def times(self, service: str) -> list[float]:
        """When requests came to "europepmc", "eutils" or "idconv"."""
        with self.lock:
            return sorted(at for at, name, _, _ in self.requests if name == service)

    def targets(self, service: str, good: bool | None = None) -> list[str]:
        """What they asked for, all or those that were answered well or not."""
        with self.lock:
            return [
                target
                for _, name, target, well in self.requests
                if name == service and good in (None, well)
            ]

    def most_in_a_second(self, *services: str) -> int:
        """The most requests within any second, as the server saw them."""
        times = sorted(at for service in services for at in self.times(service))
        return max(
            (sum(1 for at in times if start <= at < start + 1) for start in times), default=0
        )


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, schedule: Schedule, log: Log, stall: float) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.schedule, self.log, self.stall = schedule, log, stall
        self.numbers = count()
        self.ended = threading.Event()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that has gone is no error."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server

    def log_message(self, *_: Any) -> None:
        """Print nothing."""

    def do_GET(self) -> None:
        self._answer(parse_qs(urlsplit(self.path).query))

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"])).decode()
        self._answer(parse_qs(body))

    def _answer(self, given: dict[str, list[str]]) -> None:
        now = time.monotonic()
        parameters = {name: values[0] for name, values in given.items()}
        path = urlsplit(self.path).path
        service = path.split("/")[1]
        fault = self.server.schedule(next(self.server.numbers))
        named = (parameters[name] for name in ("query", "ids", "id") if name in parameters)
        target = f"{path}?{next(named, '')}"
        with self.server.log.lock:
            self.server.log.keys |= {service} if "made-key" in f"{self.path}{given}" else set()
            self.server.log.requests.append((now, service, target, not fault))
        if service in ("eutils", "idconv"):
            assert parameters["tool"] == "citespan"
            assert parameters["email"] == "a@b.example"
        status, kind, body = self._find(service, path, parameters)
        self._misbehave(fault, status, kind, body.encode())

    def _misbehave(self, fault: Fault, status: int, kind: str, body: bytes) -> None:
        half, whole = body[: len(body) // 2], {"Content-Length": str(len(body))}
        pages: dict[Fault, tuple[Any, ...]] = {
            "": (status, kind, body),
            "busy": (429, "application/json", b'{"error":"API rate limit exceeded"}'),
            "busy with a time": (429, "text/plain", b"wait", {"Retry-After": "1"}),
            "busy for an hour": (429, "text/plain", b"wait", {"Retry-After": "3600"}),
            "unavailable": (503, "text/html", b"<html>away</html>"),
            "page": (200, "text/html", b"<!DOCTYPE html><html><body>Maintenance</body></html>"),
            "truncated": (status, kind, half),
            "cut off": (status, kind, half, whole),
            "empty": (status, kind, b""),
            "elsewhere": (302, "text/plain", b"", {"Location": "http://elsewhere.example/a"}),
            "here": (302, "text/plain", b"", {"Location": self.path}),
            "refused": (403, "text/plain", b"blocked"),
        }
        if fault in pages:
            self._send(*pages[fault])
        elif fault == "bomb":
            packed = gzip.compress(bytes(100_000_000), 1)
            self._send(200, kind, packed, {"Content-Encoding": "gzip"})
        elif fault == "stall":
            self.server.ended.wait(self.server.stall)
        elif fault == "drip":
            self._drip()
        elif fault == "endless":
            self._send_endlessly()
        if fault in ("cut off", "reset", "stall", "drip", "endless"):
            self.close_connection = True

    def _drip(self) -> None:
        with suppress(OSError):
            self.wfile.write(b"HTTP/1.1 200 OK\r\nX-Slow: ")
            while not self.server.ended.wait(0.05):
                self.wfile.write(b"a")
                self.wfile.flush()

    def _send_endlessly(self) -> None:
        with suppress(OSError):
            self.wfile.write(b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n")
            while not self.server.ended.is_set():
                self.wfile.write(b" " * 2**16)

    def _send(
        self, status: int, kind: str, body: bytes, headers: dict[str, str] | None = None
    ) -> None:
        with suppress(OSError):
            self.send_response(status)
            sent = {"Content-Type": kind, "Content-Length": str(len(body))} | (headers or {})
            for name, value in sent.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)

    def _find(self, service: str, path: str, asked: dict[str, str]) -> tuple[int, str, str]:
        if service == "idconv":
            return 200, "application/json", json.dumps(_convert(asked))
        if service == "eutils":
            there = [n for n in _numbers(asked["id"], FIRST_PMID) if n % 10 != 9]
            if not there:
                return 400, "text/plain", "ID list is empty! Possibly it has no correct IDs."
            head = '<?xml version="1.0" ?>\n<!DOCTYPE PubmedArticleSet PUBLIC "-//NLM//DTD '
            head += 'PubMedArticle, 1st January 2025//EN" "https://dtd.nlm.nih.gov/ncbi/pubmed/out/'
            head += 'pubmed_250101.dtd">\n<PubmedArticleSet>'
            records = "\n".join(map(make_record, there))
            return 200, "text/xml", f"{head}{records}</PubmedArticleSet>"
        if path.endswith("/fullTextXML"):
            (n,) = _numbers(path.split("/")[-2].removeprefix("PMC"), FIRST_PMCID)
            if n % 10 < 5:
                return 200, "application/xml", make_jats(n)
            return 404, "application/xml", "<error>not found</error>"
        return 200, "application/json", json.dumps(_search(asked))


def _numbers(identifiers: str, first: int) -> list[int]:
    found = (int(number) - first for number in identifiers.split(",") if number.isdigit())
    return [n for n in found if 0 <= n < 1000]


def _convert(asked: dict[str, str]) -> dict[str, Any]:
    records: list[dict[str, Any]] = []
    for written in asked["ids"].split(","):
        n = int(re.sub(r"\D", "", written.rpartition(".")[2] or "0"))
        n -= {"pmid": FIRST_PMID, "pmcid": FIRST_PMCID}.get(asked["idtype"], 0)
        if 0 <= n < 1000 and (n % 10 < 5 or n % 10 == 8):
            known = {"pmid": int(pmid(n)), "pmcid": pmcid(n), "doi": doi(n)}
            records.append({"requested-id": written, **known})
        else:
            error = {"status": "error", "errmsg": "Identifier not found in PMC"}
            records.append({"requested-id": written, **error})
    return {"status": "ok", "response-date": "2026-01-01 00:00:00", "records": records}


def _search(asked: dict[str, str]) -> dict[str, Any]:
    query = asked["query"]
    found = [int(n) - FIRST_PMID for n in re.findall(r"EXT_ID:(\d+)", query)]
    found += [int(n) - FIRST_PMCID for n in re.findall(r"PMCID:PMC(\d+)", query)]
    found += [int(n) for n in re.findall(r'DOI:"10.1000/made\.(\d+)"', query)]
    found += [int(n) for n in re.findall(r'TITLE:"[^"]*number (\d+)"', query)]
    if query == "yeast":
        found = list(range(1000))
    there = [n for n in dict.fromkeys(found) if 0 <= n < 1000 and n % 10 != 9]
    start = 0 if asked["cursorMark"] == "*" else int(asked["cursorMark"].removeprefix("after-"))
    end = start + int(asked["pageSize"])
    return {
        "version": "6.9",
        "hitCount": len(there),
        "nextCursorMark": f"after-{end}" if end < len(there) else asked["cursorMark"],
        "request": {"queryString": query, "resultType": "core"},
        "resultList": {"result": [make_result(n) for n in there[start:end]]},
    }


@dataclass(frozen=True)
class Services:
    """The server's addresses, for the environment of a command, and its log."""

    url: str
    log: Log

    @property
    def environment(self) -> dict[str, str]:
        return {
            "NO_PROXY": "127.0.0.1",
            "CITESPAN_EMAIL": "a@b.example",
            "CITESPAN_EUROPE_PMC_URL": f"{self.url}/europepmc/rest",
            "CITESPAN_EUTILS_URL": f"{self.url}/eutils",
            "CITESPAN_CONVERTER_URL": f"{self.url}/idconv/",
        }


@contextmanager
def serve(schedule: Schedule = always(""), stall: float = STALL) -> Iterator[Services]:
    """The services, on a port of this machine."""
    log = Log()
    server = _Server(schedule, log, stall)
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield Services(f"http://127.0.0.1:{server.server_port}", log)
    finally:
        server.ended.set()
        server.shutdown()
        server.server_close()
