"""The application: views, the guard before them, and what is said when something is wrong."""

from collections.abc import Awaitable, Callable
from importlib.metadata import version
from typing import Any

from elastic_transport import TransportError
from elasticsearch import ApiError
from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import HTMLResponse, JSONResponse
from fastapi.staticfiles import StaticFiles
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp

from citespan.pipelines.errors import CitespanError
from citespan.pipelines.reformulation.options import Options
from citespan.serve.guard import Access, Guard
from citespan.serve.problems import FAILURE, STATUSES, ErrorAnswer, Problem, describe
from citespan.serve.rendering import ASSETS
from citespan.serve.site import Site, site_of
from citespan.serve.views import about, answers, article, articles, checks, cited, evidence, login

_DESCRIPTION = (
    "Where exactly is the evidence? The passages of articles that citing sentences are about, and "
    'answers to research questions. Errors are objects `{"error": {"status", "message"}}`.'
)


def make_app(access: Access, options: Options) -> ASGIApp:
    """Return the pages and the API.

    Args:
        access: who may ask.
        options: of reformulations, such as the vocabulary.
    """
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
    )
    app.state.site = Site(options)
    app.state.access = access
    app.mount("/assets", StaticFiles(directory=ASSETS), name="assets")
    for view in (article, articles, evidence, cited, answers, checks, about, login):
        app.include_router(view.router)
    handlers: dict[Any, Callable[[Request, Any], Awaitable[Response]]] = {
        RequestValidationError: _explain_parameters,
        HTTPException: _explain_status,
        CitespanError: _explain,
        ApiError: _explain,
        TransportError: _explain,
        Exception: _explain_failure,
    }
    for kind, handler in handlers.items():
        app.add_exception_handler(kind, handler)
    return Guard(app, access)


async def _explain(request: Request, error: Exception) -> Response:
    return _say(request, describe(error))


async def _explain_failure(request: Request, _error: Exception) -> Response:
    return _say(request, FAILURE)  # uvicorn logs it


async def _explain_status(request: Request, error: HTTPException) -> Response:
    message = str(error.detail)
    if error.status_code == 404:
        message = "there is no such page"
    return _say(request, Problem(error.status_code, message))


async def _explain_parameters(request: Request, error: RequestValidationError) -> Response:
    said = []
    for one in error.errors():
        name = str(one["loc"][-1]) if one["loc"] else "the request"
        shown = name if name.isprintable() and len(name) < 50 else "a parameter"
        said.append(f"{shown}: {one['msg'][0].lower()}{one['msg'][1:]}")
    return _say(request, Problem(422, "; ".join(said)))


def _say(request: Request, problem: Problem) -> Response:
    if request.url.path.startswith("/api/"):
        return JSONResponse(problem.to_json(), problem.status)
    page = site_of(request).make_page("problem.html", problem=problem)
    return HTMLResponse(page, problem.status)
