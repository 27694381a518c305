"""Uploading a manuscript, watching its check, and the report."""

from pathlib import PurePath
from typing import Annotated

from fastapi import APIRouter, Form, Request, Response, UploadFile
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import HTMLResponse, JSONResponse, RedirectResponse

from citespan.pipelines.errors import InputError
from citespan.pipelines.ranking.ranker import DEFAULT
from citespan.serve.check_process import REPORT
from citespan.serve.checks import SUFFIXES, Check
from citespan.serve.downloads import ReportKind, make_download
from citespan.serve.method import Name, list_judges, require_ranker
from citespan.serve.site import site_of
from citespan.serve.views.decisions import REPORT_POLICY, find_deciding, find_kept

_MOST_FILES = 10
router = APIRouter()

Files = Annotated[list[UploadFile], "The manuscript, and the .bib files that it names."]


Ranker = Annotated[Name, Form(description="Name of the ranker that judges the cited articles.")]


@router.get("/check", include_in_schema=False)
async def show_form(request: Request) -> Response:
    """The page to send a manuscript from."""
    values = {"suffixes": SUFFIXES, "judges": list_judges(), "chosen": DEFAULT}
    return HTMLResponse(site_of(request).make_page("check.html", **values))


@router.post("/check", include_in_schema=False)
async def send_form(files: Files, request: Request, ranker: Ranker = DEFAULT) -> Response:
    """Take a manuscript, and go to its progress."""
    check = await _take(request, files, ranker)
    return RedirectResponse(f"/check/{check.id}", 303)


@router.get("/check/{key}", include_in_schema=False)
async def show_check(key: str, request: Request) -> Response:
    """The progress of a check; its report once it is done."""
    site = site_of(request)
    check = site.checks.find(key)
    if check.kept is not None:
        report = await run_in_threadpool(check.kept.show, REPORT, find_deciding(request, key))
        return HTMLResponse(report, headers={"content-security-policy": REPORT_POLICY})
    status = check.problem.status if check.problem is not None else 200
    return HTMLResponse(site.make_page("progress.html", check=check), status)


@router.get("/check/{key}/report.{kind}", include_in_schema=False)
async def download_report(key: str, kind: ReportKind, request: Request) -> Response:
    """The report as a file, as `citespan check` writes it in that format."""
    kept = find_kept(request, key)
    content = await run_in_threadpool(kept.write, kind)
    answer = make_download(content, f"{PurePath(kept.name).stem}-citations.{kind}")
    answer.headers["content-security-policy"] = REPORT_POLICY
    return answer


@router.post("/check/{key}/delete", include_in_schema=False)
async def delete_by_form(key: str, request: Request) -> Response:
    """Cancel a check, or delete its report, and go to the page to send another from."""
    site_of(request).checks.delete(key)
    return RedirectResponse("/check", 303)


@router.post("/api/check", status_code=202, summary="Check a manuscript", tags=["check"])
async def send_manuscript(files: Files, request: Request, ranker: Ranker = DEFAULT) -> Response:
    """Take a manuscript, with the .bib files that it names. It is checked as `citespan check` does;
    ask for its state by the `id` that is returned."""
    check = await _take(request, files, ranker)
    return JSONResponse(check.to_json(), 202)


@router.get("/api/check/{key}/progress", summary="How far a check is", tags=["check"])
async def read_progress(key: str, request: Request) -> Response:
    """How many of how many citations are checked: `state` is "waiting", "checking", "done", or
    "failed" with the `problem`."""
    return JSONResponse(site_of(request).checks.find(key).to_json())


@router.get(
    "/api/check/{key}",
    summary="The result of a check",
    tags=["check"],
    responses={202: {"description": "How far the check is."}},
)
async def read_check(key: str, request: Request) -> Response:
    """What `citespan check --json` prints; status 202 with the progress until it is there. In
    `problems` is also a line for each line of the file of decisions that is none."""
    check = site_of(request).checks.find(key)
    if check.problem is not None:
        return JSONResponse(check.problem.to_json(), check.problem.status)
    if check.kept is None:
        return JSONResponse(check.to_json(), 202)
    content = await run_in_threadpool(check.kept.describe)
    return Response(content, media_type="application/json")


@router.delete(
    "/api/check/{key}",
    summary="Cancel a check",
    tags=["check"],
    status_code=204,
    response_class=Response,
)
async def delete_check(key: str, request: Request) -> Response:
    """End a check that waits or is under way, or delete its result; its files go with it."""
    site_of(request).checks.delete(key)
    return Response(status_code=204)


async def _take(request: Request, files: list[UploadFile], ranker: str) -> Check:
    require_ranker(ranker, judges=True)
    if len(files) > _MOST_FILES:
        raise InputError(f"{len(files)} files are too many; send at most {_MOST_FILES}")
    named = {file.filename or "": await file.read() for file in files}
    if len(named) != len(files):
        raise InputError("two files have the same name; rename one of them")
    address = request.client.host if request.client is not None else ""
    return await run_in_threadpool(site_of(request).checks.add, named, address, ranker)
