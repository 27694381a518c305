"""The description of the API for people, whether the server answers, and the login: saying the
token once, so that a browser need not say it again until its session ends.
"""

from typing import Annotated

from fastapi import APIRouter, Form, Request, Response
from fastapi.responses import FileResponse, HTMLResponse, JSONResponse, RedirectResponse

from citespan.serve.access import SESSION_SECONDS
from citespan.serve.guard import LOGIN
from citespan.serve.page import ASSETS
from citespan.serve.site import site_of

router = APIRouter()


@router.get("/api", include_in_schema=False)
async def describe_api(request: Request) -> Response:
    """The page that describes the JSON API."""
    description = request.app.openapi()
    return HTMLResponse(site_of(request).make_page("api.html", api=description))


@router.get("/api/health", summary="Whether Elasticsearch answers", tags=["server"])
async def check_health(request: Request) -> Response:
    """The version of Elasticsearch; status 503 while it does not answer."""
    return JSONResponse({"elasticsearch": await site_of(request).check_health()})


@router.get("/favicon.ico", include_in_schema=False)
async def show_icon() -> Response:
    """The icon, for pages that do not name one."""
    return FileResponse(ASSETS / "icon.svg")


_LONGEST = 1000


@router.get(LOGIN, include_in_schema=False)
async def show_login(request: Request, to: str = "/") -> Response:
    """The page that asks for the token."""
    return HTMLResponse(site_of(request).make_page("login.html", to=_stay_here(to), wrong=False))


@router.post(LOGIN, include_in_schema=False)
async def log_in(
    request: Request,
    token: Annotated[str, Form(max_length=_LONGEST)],
    to: Annotated[str, Form(max_length=20_000)] = "/",
) -> Response:
    """Take the token, and go to the page that was asked for."""
    access = site_of(request).access
    person = access.find_person(token.strip())
    if person is None:
        page = site_of(request).make_page("login.html", to=_stay_here(to), wrong=True)
        return HTMLResponse(page, 401)
    answer = RedirectResponse(_stay_here(to), 303)
    access.set_cookie(answer, access.cookie, access.begin_session(person), SESSION_SECONDS)
    return answer


@router.post("/logout", include_in_schema=False)
async def log_out(request: Request) -> Response:
    """End the session."""
    access = site_of(request).access
    access.end_session(request.headers)
    answer = RedirectResponse(LOGIN, 303)
    answer.delete_cookie(
        access.cookie, secure=access.is_encrypted, httponly=True, samesite="strict"
    )
    return answer


def _stay_here(address: str) -> str:
    """Return an address of this site: another one is not gone to."""
    plain = address.isprintable() and "\\" not in address
    return address if plain and address.startswith("/") and address[1:2] != "/" else "/"
