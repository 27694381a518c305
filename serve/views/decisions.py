"""What people decide about the citations of a manuscript that was checked."""

import getpass
from collections.abc import Iterable
from contextlib import suppress
from typing import Annotated, Any
from urllib.parse import quote, unquote

from fastapi import APIRouter, Form, Request, Response, UploadFile
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import HTMLResponse, JSONResponse, RedirectResponse
from pydantic import BaseModel, ConfigDict, Field

from citespan.pipelines.citations.decisions import (
    ENDING,
    LONGEST_NAME,
    LONGEST_NOTE,
    Decision,
    Judgement,
    decide,
    describe_decided,
    match_decisions,
    merge_decisions,
    parse_decisions,
)
from citespan.pipelines.corpus.paragraphs import collapse_space
from citespan.pipelines.counts import format_count
from citespan.pipelines.errors import InputError
from citespan.serve.access import Person
from citespan.serve.check_process import REPORT
from citespan.serve.downloads import make_download
from citespan.serve.guard import PERSON
from citespan.serve.kept import KeptCheck
from citespan.serve.problems import MissingPageError
from citespan.serve.report.decided import Deciding, fill_decisions, shorten_problems
from citespan.serve.site import site_of

REPORT_POLICY = "frame-ancestors 'none'"
"""A report has a policy of its own, which is stricter."""
_NAME_SECONDS = 365 * 24 * 3600
_FRAGMENT = "<!doctype html><title>Decision</title><!--decision --><!--decision {}-->"
router = APIRouter()

Citation = Annotated[str, Field(max_length=100, description="The id of the citation.")]
Note = Annotated[str, Field(max_length=LONGEST_NOTE)]
By = Annotated[
    str,
    Field(
        max_length=LONGEST_NAME,
        description="The name of the person; that of the token if it has one.",
    ),
]


class NewDecision(BaseModel):
    """What a person decides about a citation."""

    model_config = ConfigDict(extra="forbid")

    citation: Citation
    decision: Judgement
    note: Note = ""
    by: By = ""


def find_kept(request: Request, key: str) -> KeptCheck:
    """Return a check that is done.

    Raises:
        MissingPageError: if there is none, or it is not done.
    """
    kept = site_of(request).checks.find(key).kept
    if kept is None:
        raise MissingPageError("this check has no report yet")
    return kept


def find_deciding(request: Request, key: str, problem: str = "") -> Deciding:
    """Return who decides on the page of a check: whose token it is, or who has given a name; else,
    if everybody who asks is on this machine, the user of citespan."""
    person: Person = request.scope[PERSON]
    access = site_of(request).access
    by = person.name or collapse_space(unquote(request.cookies.get(access.name_cookie, "")))
    if not by and not access.people:
        with suppress(OSError, KeyError):
            by = getpass.getuser()
    may = "decide" in person.may
    return Deciding(key, by[:LONGEST_NAME], bool(person.name), may, problem)


@router.post("/check/{key}/name", include_in_schema=False)
async def give_name(
    key: str, by: Annotated[str, Form(min_length=1, max_length=LONGEST_NAME)], request: Request
) -> Response:
    """Keep the name of who decides, in the browser."""
    find_kept(request, key)
    access = site_of(request).access
    answer = RedirectResponse(f"/check/{key}#citations", 303)
    access.set_cookie(answer, access.name_cookie, quote(collapse_space(by)), _NAME_SECONDS)
    return answer


@router.post("/check/{key}/decisions", include_in_schema=False)
async def decide_by_form(
    key: str,
    citation: Annotated[Citation, Form()],
    decision: Annotated[Judgement, Form()],
    request: Request,
    note: Annotated[Note, Form()] = "",
    fragment: Annotated[bool, Form()] = False,
) -> Response:
    """Keep a decision, and go back to the citation, or show what is decided about it alone."""
    kept, deciding = find_kept(request, key), find_deciding(request, key)

    def work() -> str:
        _keep(kept, NewDecision(citation=citation, decision=decision, note=note), deciding.by)
        if not fragment:
            return ""
        html = _FRAGMENT.replace("{}", citation)
        return fill_decisions(html, kept.match(), deciding)

    shown = await run_in_threadpool(work)
    return HTMLResponse(shown) if fragment else RedirectResponse(f"/check/{key}#c{citation}", 303)


@router.post("/check/{key}/decisions/file", include_in_schema=False)
async def add_file(key: str, file: UploadFile, request: Request) -> Response:
    """Add the decisions of a file, and show the report with what is wrong with the file."""
    kept, content = find_kept(request, key), await file.read()
    name = file.filename or "the file"

    def work() -> list[str]:
        return _add(request, kept, content, name if name.isprintable() else "the file")

    problems = await run_in_threadpool(work)
    if not problems:
        return RedirectResponse(f"/check/{key}#decisions", 303)
    deciding = find_deciding(request, key, shorten_problems(problems))
    page = await run_in_threadpool(kept.show, REPORT, deciding)
    return HTMLResponse(page, headers={"content-security-policy": REPORT_POLICY})


@router.get("/check/{key}/decisions.jsonl", include_in_schema=False)
@router.get(
    "/api/check/{key}/decisions", summary="The decisions about a manuscript", tags=["check"]
)
async def download_decisions(key: str, request: Request) -> Response:
    """All decisions about the citations of a manuscript, as JSON Lines: the file that `citespan
    check` reads beside the manuscript, with lines that are no decisions, if it was edited."""
    kept = find_kept(request, key)
    return make_download(await run_in_threadpool(kept.read_lines), kept.name + ENDING)


@router.post("/api/check/{key}/decisions", summary="Decide about a citation", tags=["check"])
async def decide_by_api(key: str, new: NewDecision, request: Request) -> Response:
    """Keep a decision: `right`, `wrong` or `to do`. The answer has the `decision` that all come to,
    and the `decisions` of each person, as `citespan check --json` prints them; `problems` has a
    line for each line of the file that they are kept in which is no decision."""
    kept, deciding = find_kept(request, key), find_deciding(request, key)
    if deciding.is_fixed and new.by not in ("", deciding.by):
        raise InputError(f"by: this token decides as {deciding.by}")

    def work() -> dict[str, Any]:
        _keep(kept, new, new.by or deciding.by)
        decisions, problems = kept.read_decisions()
        matched = match_decisions(kept.read_subjects(), decisions)
        said = {"citation": new.citation} | describe_decided(new.citation, matched)
        return said | {"problems": problems}

    return JSONResponse(await run_in_threadpool(work))


@router.put("/api/check/{key}/decisions", summary="Add a file of decisions", tags=["check"])
async def add_by_api(key: str, request: Request) -> Response:
    """Add the decisions of a file of JSON Lines, which is the body, to those that are kept;
    `problems` has a line for each line that is none."""
    kept, content = find_kept(request, key), await request.body()
    problems = await run_in_threadpool(_add, request, kept, content, "the file")
    return JSONResponse({"problems": problems})


def _keep(kept: KeptCheck, new: NewDecision, by: str) -> None:
    subject = kept.read_subjects().get(new.citation)
    if subject is None:
        raise MissingPageError("there is no such citation")
    if not by:
        raise InputError("give your name first: decisions are kept with it")
    kept.add_decisions([decide(subject, new.decision, by, new.note)])


def _add(request: Request, kept: KeptCheck, content: bytes, name: str) -> list[str]:
    """Keep the decisions of a file, and return a line for each line of it that is none.

    Raises:
        InputError: if none can be used, or somebody has decided for another.
    """
    try:
        decisions, problems = parse_decisions(content.decode(), name)
    except UnicodeDecodeError as error:
        raise InputError(f"{name}: not UTF-8; send a file of decisions") from error
    if not decisions:
        raise InputError(problems[0] if problems else f"{name}: no decision is in it")
    if not match_decisions(kept.read_subjects(), decisions).decided:
        count = format_count(len(decisions), "decision")
        raise InputError(
            f"{name}: none of its {count} is about a citation of {kept.name}; it may belong to "
            "another manuscript"
        )
    _require_own(request, kept, decisions)
    kept.add_decisions(decisions)
    return problems


def _require_own(request: Request, kept: KeptCheck, decisions: Iterable[Decision]) -> None:
    """Check that nobody decides under the name of another person's token."""
    own: Person = request.scope[PERSON]
    others = {person.name for person in site_of(request).access.people} - {own.name, ""}
    before = {*kept.read_decisions()[0]}
    for decision in merge_decisions(decisions):
        if decision.by in others and decision not in before:
            raise InputError(f"{decision.by} decides here with a token; send only what is yours")
