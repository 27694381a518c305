"""The application: views, the guard before them, and what is said when something is wrong."""

from collections.abc import Callable, Coroutine
from importlib.metadata import version
from typing import Any

from elastic_transport import TransportError
from elasticsearch import ApiError
from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import HTMLResponse, JSONResponse
from fastapi.routing import APIRoute
from fastapi.staticfiles import StaticFiles
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp

from citespan.pipelines.errors import CitespanError
from citespan.serve.guard import Guard
from citespan.serve.method import LABELS, LONGEST_CITANCE
from citespan.serve.page import ASSETS
from citespan.serve.problems import (
    FAILURE,
    STATUSES,
    ErrorAnswer,
    Problem,
    describe,
    explain_parameters,
)
from citespan.serve.site import Site, site_of
from citespan.serve.views import answers, articles, checks, cited, decisions, evidence, session

_DESCRIPTION = (
    "Where exactly is the evidence? The passages of articles that citing sentences are about, and "
    'answers to research questions. Errors are objects `{"error": {"status", "message"}}`.'
)
_VIEWS = (articles, evidence, cited, answers, checks, decisions, session)


def make_app(site: Site) -> ASGIApp:
    """Return the pages and the API."""
    handlers: dict[Any, Callable[[Request, Any], Coroutine[Any, Any, Response]]] = {
        RequestValidationError: _explain_parameters,
        HTTPException: _explain_status,
        **dict.fromkeys((CitespanError, ApiError, TransportError), _explain),
        Exception: _explain_failure,
    }
    app = FastAPI(
        title="citespan",
        version=version("citespan"),
        description=_DESCRIPTION,
        openapi_url="/api/openapi.json",
        docs_url=None,  # they load scripts from elsewhere
        redoc_url=None,
        responses={
            status: {"model": ErrorAnswer, "description": meaning}
            for status, meaning in STATUSES.items()
        },
        exception_handlers=handlers,
    )
    app.state.site = site
    app.mount("/assets", StaticFiles(directory=ASSETS), name="assets")
    for view in _VIEWS:
        app.include_router(view.router)
    return Guard(app, site.access)


async def _explain(request: Request, error: Exception) -> Response:
    return _say(request, describe(error))


async def _explain_failure(request: Request, _error: Exception) -> Response:
    return _say(request, FAILURE)  # uvicorn logs it


async def _explain_status(request: Request, error: HTTPException) -> Response:
    message = str(error.detail)
    if error.status_code == 404:
        message = "there is no such page"
    answer = _say(request, Problem(error.status_code, message))
    answer.headers.update(error.headers or {})
    if error.status_code == 405:
        answer.headers["allow"] = ", ".join(_list_methods(request))
    return answer


async def _explain_parameters(request: Request, error: RequestValidationError) -> Response:
    labels = {} if _is_api(request) else LABELS
    return _say(request, Problem(422, explain_parameters(error, labels)))


def _list_methods(request: Request) -> list[str]:
    """Return the methods that the address of a request has, which several routes may share."""
    found: set[str] = set()
    for view in _VIEWS:
        for route in view.router.routes:
            if isinstance(route, APIRoute) and route.path_regex.match(request.url.path):
                found |= route.methods or set()
    return sorted(found)


def _is_api(request: Request) -> bool:
    return request.url.path.startswith("/api/")


def _say(request: Request, problem: Problem) -> Response:
    if _is_api(request):
        return JSONResponse(problem.to_json(), problem.status)
    asked = [
        (name, LABELS[name], value[:LONGEST_CITANCE])
        for name, value in request.query_params.multi_items()
        if name in LABELS
    ]
    page = site_of(request).make_page(
        "problem.html", problem=problem, path=request.url.path, asked=asked
    )
    return HTMLResponse(page, problem.status)
