"""Fetching what is wanted: look it up, fetch the full texts that are open, and PubMed's records.

All that is wanted is dealt with in groups. What services know of a group is in the folder's journal
before anything of it is fetched, and outcomes are as soon as they are certain.
"""

import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from importlib.metadata import version
from typing import Any, Final, Literal, TypeVar, get_args

from citespan.pipelines.batches import batched
from citespan.pipelines.corpus.publication import Publication
from citespan.pipelines.errors import InputError
from citespan.pipelines.fetching import europe_pmc, ncbi
from citespan.pipelines.fetching.europe_pmc import EuropePmc, Known
from citespan.pipelines.fetching.folder import ABSTRACTS, ARTICLES, FetchFolder
from citespan.pipelines.fetching.ncbi import Ncbi, PubmedRecord
from citespan.pipelines.fetching.service import (
    BadAnswerError,
    Pace,
    Service,
    ServiceAwayError,
    ServiceError,
)
from citespan.pipelines.fetching.wanted import Wanted

Outcome = Literal["full text", "abstract", "not open", "unknown", "failed", "unusable"]
OUTCOMES: Final[tuple[Outcome, ...]] = get_args(Outcome)
_GROUP = 100
_TOOL = "citespan"
_BY_TITLE = "no article, or several, fit its title, first author and year"
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class FetchSettings:
    """Who asks, and where.

    Attributes:
        email: that services can write to.
        api_key: of NCBI; "" for none.
        europe_pmc, utilities, converter: addresses of the services.
        seconds: that one answer may take.

    Raises:
        InputError: for an address or a time that can't be used.
    """

    email: str
    api_key: str = field(default="", repr=False)
    europe_pmc: str = europe_pmc.ADDRESS
    utilities: str = ncbi.UTILITIES
    converter: str = ncbi.CONVERTER
    seconds: float = 60.0

    def __post_init__(self) -> None:
        name, _, host = self.email.partition("@")
        if not name or not host or not self.email.isascii() or len(self.email.split()) != 1:
            raise InputError(
                "the services want to know whom to write to: set `email`, or CITESPAN_EMAIL, to "
                "your e-mail address"
            )
        if not self.seconds > 0:
            raise InputError(f"{self.seconds:g} s for an answer is not possible; use more than 0")


@dataclass(frozen=True, slots=True)
class Fetched:
    """What has become of something that is wanted.

    Attributes:
        outcome: "full text" and "abstract" are in the folder; "not open", that neither is free;
            "unknown", that no service knows the article; "failed", that a service has not
            answered, so that it is asked again next time; "unusable", that too little is said.
        reason: in one line, with the identifiers that are other ones than are said; "" for none.
        publication: its identifiers and title, as far as they are known.
        licence: such as "cc by 4.0"; "" if none is stated.
        notices: what later publications say of it, such as "retracted".
        files: below the folder.
    """

    wanted: Wanted
    outcome: Outcome
    reason: str = ""
    publication: Publication = field(default_factory=Publication)
    licence: str = ""
    notices: tuple[str, ...] = ()
    files: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """Return it as `citespan fetch --json` prints it."""
        said = self.publication
        return {
            "wanted": self.wanted.place,
            "outcome": self.outcome,
            "reason": self.reason,
            "title": said.title,
            "pmid": said.pmid,
            "pmcid": said.pmcid,
            "doi": said.doi,
            "licence": self.licence,
            "notices": list(self.notices),
            "files": list(self.files),
        }


@dataclass
class FetchReport:
    """What has become of all that is wanted: the totals of all outcomes are its number.

    Attributes:
        results: in the order of what is wanted.
        away: why the rest was not asked for; "" if all was.
    """

    results: list[Fetched] = field(default_factory=list)
    away: str = ""
    seconds: float = 0.0

    @property
    def totals(self) -> dict[str, int]:
        """The number of each outcome."""
        counted = Counter(result.outcome for result in self.results)
        return {outcome: counted[outcome] for outcome in OUTCOMES}

    @property
    def licences(self) -> dict[str, int]:
        """The number of full texts of each licence, the most frequent first."""
        counted = Counter(
            result.licence or "not stated"
            for result in self.results
            if result.outcome == "full text"
        )
        return dict(counted.most_common())

    @property
    def has_problems(self) -> bool:
        """Whether something failed, or could not be looked for."""
        return any(result.outcome in ("failed", "unusable") for result in self.results)

    def to_json(self) -> dict[str, Any]:
        """Return the report as `citespan fetch --json` prints it."""
        return {
            "wanted": len(self.results),
            **{outcome.replace(" ", "_"): number for outcome, number in self.totals.items()},
            "licences": self.licences,
            "away": self.away,
            "seconds": round(self.seconds, 3),
            "results": [result.to_json() for result in self.results],
        }


class Fetcher:
    """Fetches into a folder.

    Args:
        warn: called with a line about what is done otherwise than planned.

    Raises:
        InputError: for an address that is none.
    """

    def __init__(
        self, settings: FetchSettings, folder: FetchFolder, warn: Callable[[str], None]
    ) -> None:
        agent = f"{_TOOL}/{version(_TOOL)} ({settings.email})"
        who = {"tool": _TOOL, "email": settings.email}
        key = {"api_key": settings.api_key} if settings.api_key else {}
        pace = Pace(ncbi.PER_SECOND_WITH_KEY if key else ncbi.PER_SECOND)
        common: dict[str, Any] = {"agent": agent, "seconds": settings.seconds, "warn": warn}
        self._europe_pmc = EuropePmc(
            Service("Europe PMC", settings.europe_pmc, Pace(europe_pmc.PER_SECOND), **common)
        )
        self._ncbi = Ncbi(
            Service("PubMed", settings.utilities, pace, parameters=who | key, **common),
            Service("NCBI's ID converter", settings.converter, pace, parameters=who, **common),
        )
        self._folder = folder
        self._warn = warn
        self._can_convert = True

    def search(self, query: str, limit: int) -> list[Wanted]:
        """Return what a query in Europe PMC's syntax finds, the most relevant first.

        Raises:
            ServiceError, ServiceAwayError: if it is not answered, or refused.
        """
        wanted = []
        for number, known in enumerate(self._europe_pmc.search(query, limit), 1):
            result = Wanted.of(f"result {number}", known.publication)
            if not result.problem and result.key not in self._folder.known:
                self._folder.remember_known(result.key, known.to_json())
            wanted.append(result)
        return wanted

    def fetch(
        self,
        wanted: Sequence[Wanted],
        on_done: Callable[[int], None] = lambda _: None,
        again: bool = False,
    ) -> FetchReport:
        """Fetch what is wanted and not in the folder.

        Args:
            on_done: called with the number of those that have just been dealt with.
            again: whether what was not open or unknown before is asked for again.

        Raises:
            MachineError: if the folder can't be written to.
        """
        started = time.monotonic()
        by_key = {publication.key: publication for publication in wanted if not publication.problem}
        if again:
            refused = ("not open", "unknown", "abstract")
            done = {key: self._folder.done[key] for key in by_key if key in self._folder.done}
            self._folder.forget(
                {k: result for k, result in done.items() if result["outcome"] in refused}
            )
        failed: dict[str, str] = {}
        away = ""
        left = [key for key in by_key if not self._folder.is_done(key)]
        on_done(len(wanted) - len(left))
        for group in batched(left, _GROUP):
            try:
                if not away:
                    failed |= self._fetch_group({key: by_key[key] for key in group})
            except ServiceAwayError as error:
                away = str(error)
            on_done(len(group))
        results = [
            self._tell(publication, failed.get(publication.key, away)) for publication in wanted
        ]
        return FetchReport(results, away, time.monotonic() - started)

    def _tell(self, wanted: Wanted, failure: str) -> Fetched:
        if wanted.problem:
            return Fetched(wanted, "unusable", wanted.problem, wanted.publication)
        done = self._folder.done.get(wanted.key)
        stored = self._folder.known.get(wanted.key)
        known = Known.from_json(stored) if stored else Known(wanted.publication)
        if done is None or not self._folder.is_done(wanted.key):
            return Fetched(wanted, "failed", failure, known.publication)
        return Fetched(
            wanted,
            done["outcome"],
            done["reason"],
            known.publication,
            known.licence,
            tuple(done["notices"]),
            tuple(done["files"]),
        )

    def _fetch_group(self, group: dict[str, Wanted]) -> dict[str, str]:
        """Deal with a group; return why some of it have failed, by their keys."""
        failed = self._look_up(
            {k: publication for k, publication in group.items() if k not in self._folder.known}
        )
        known = {
            key: Known.from_json(stored) if (stored := self._folder.known[key]) else None
            for key in group
            if key not in failed
        }
        for key, found in known.items():
            if found is not None:
                try:
                    known[key] = self._fetch_full_text(key, found)
                except ServiceError as error:
                    failed[key] = str(error)
        pmids = {found.publication.pmid for found in known.values() if found is not None} - {""}
        records, unanswered = self._fetch_records(sorted(pmids, key=int))
        for key, found in known.items():
            pmid = found.publication.pmid if found is not None else ""
            if pmid in unanswered:
                failed.setdefault(key, unanswered[pmid])
            if key not in failed:
                self._conclude(key, group[key], found, records.get(pmid))
        return failed

    def _conclude(
        self, key: str, wanted: Wanted, known: Known | None, record: PubmedRecord | None
    ) -> None:
        publication = known.publication if known is not None else Publication()
        article, abstract = f"{publication.pmcid}.xml", f"{publication.pmid}.xml"
        files = [f"{ABSTRACTS}/{abstract}"] if record is not None else []
        outcome: Outcome
        if publication.pmcid and self._folder.has(ARTICLES, article):
            outcome, reason = "full text", ""
            files.insert(0, f"{ARTICLES}/{article}")
        elif record is not None and record.has_abstract:
            outcome, reason = "abstract", "its full text is not open"
        elif known is not None:
            outcome, reason = "not open", "neither its full text nor an abstract is free"
        else:
            said = wanted.publication.identifiers
            outcome, reason = "unknown", "no service knows it" if said else _BY_TITLE
        reason = "; ".join(filter(None, (reason, *_compare(wanted.publication, publication))))
        notices = list(record.notices) if record is not None else []
        done = {"outcome": outcome, "reason": reason, "notices": notices, "files": files}
        self._folder.remember_done(key, done)

    def _look_up(self, wanted: dict[str, Wanted]) -> dict[str, str]:
        """Find out what services know; return why that has failed for some, by their keys."""
        named = {
            key: work.publication for key, work in wanted.items() if work.publication.identifiers
        }
        converted = self._convert(list(named.values()))
        complete = {key: _complete(said, converted) for key, said in named.items()}
        failed: dict[str, str] = {}
        found: dict[str, Known | None] = {}
        for keys in batched(list(named), europe_pmc.AT_ONCE):
            found |= self._look_up_some([(key, named[key]) for key in keys], failed)
        for key, work in wanted.items():
            if key in failed:
                continue
            try:
                known = found.get(key)
                if known is None and work.publication.title and work.publication.authors:
                    known = self._europe_pmc.look_up_title(work.publication)
            except ServiceError as error:
                failed[key] = str(error)
                continue
            if known is None and key in complete and complete[key] is not named[key]:
                known = Known(complete[key])  # the converter knows it
            elif known is None and key in named and not self._can_convert:
                failed[key] = "Europe PMC does not know it, and NCBI's ID converter fails"
                continue
            elif known is not None and found.get(key) is known:
                known = replace(known, publication=known.publication.complete(complete[key]))
            self._folder.remember_known(key, known.to_json() if known is not None else {})
        return failed

    def _look_up_some(
        self, some: Sequence[tuple[str, Publication]], failed: dict[str, str]
    ) -> dict[str, Known | None]:
        try:
            answers = self._europe_pmc.look_up([publication for _, publication in some])
        except ServiceError as error:
            if len(some) == 1 or not error.is_about_the_request:
                failed |= {key: str(error) for key, _ in some}
                return {}
            middle = len(some) // 2  # one of them is refused
            return self._look_up_some(some[:middle], failed) | self._look_up_some(
                some[middle:], failed
            )
        return {key: known for (key, _), known in zip(some, answers, strict=True)}

    def _convert(self, publications: Sequence[Publication]) -> dict[str, Publication]:
        lacking = [
            publication
            for publication in publications
            if not (publication.pmcid and publication.pmid)
        ]
        if not lacking or not self._can_convert:
            return {}
        try:
            return dict(self._ncbi.convert(lacking))
        except (ServiceError, ServiceAwayError) as error:
            self._can_convert = False
            self._warn(f"{error}; identifiers are taken from Europe PMC alone")
            return {}

    def _fetch_full_text(self, key: str, known: Known) -> Known:
        """Fetch the full text if it is open; return what is known then."""
        pmcid = known.publication.pmcid
        if not pmcid or known.is_open is False or self._folder.has(ARTICLES, f"{pmcid}.xml"):
            return known
        found = self._europe_pmc.fetch_full_text(pmcid)
        if found is not None:
            data, licence = found
            self._folder.write(ARTICLES, f"{pmcid}.xml", data)
            known = replace(known, is_open=True, licence=licence or known.licence)
        else:
            known = replace(known, is_open=False)
        self._folder.remember_known(key, known.to_json())
        return known

    def _fetch_records(
        self, pmids: Sequence[str]
    ) -> tuple[dict[str, PubmedRecord], dict[str, str]]:
        """Return the records that exist, and why others are not answered, by their PMIDs."""
        records: dict[str, PubmedRecord] = {}
        unanswered: dict[str, str] = {}
        for pmid in pmids:
            name = f"{pmid}.xml"
            if self._folder.has(ABSTRACTS, name):
                with suppress(BadAnswerError, OSError):  # it is fetched again
                    data = (self._folder.path / ABSTRACTS / name).read_bytes()
                    records |= ncbi.read_records(data)
        left = [pmid for pmid in pmids if pmid not in records]
        for some in batched(left, ncbi.AT_ONCE):
            try:
                found = self._ncbi.fetch_records(some)
            except ServiceError as error:
                unanswered |= dict.fromkeys(some, str(error))
                continue
            for pmid, record in found.items():
                self._folder.write(ABSTRACTS, f"{pmid}.xml", record.xml)
            records |= found
        return records, unanswered


def _complete(said: Publication, converted: dict[str, Publication]) -> Publication:
    found = next((converted[i] for i in said.identifiers if i in converted), None)
    return said if found is None else said.complete(found)


def _compare(said: Publication, known: Publication) -> Iterator[str]:
    """Yield the identifiers of an article that are other ones than are said of it."""
    for kind in ("pmid", "pmcid", "doi"):
        mine, its = getattr(said, kind), getattr(known, kind)
        if mine and its and mine != its:
            yield f"its {kind.upper()} is {its}, not {mine}"


def list_paths(results: Iterable[Fetched]) -> list[str]:
    """Return the folders that results have files in, below that of the fetch."""
    return sorted({file.partition("/")[0] for result in results for file in result.files})
