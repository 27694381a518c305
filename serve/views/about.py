"""The description of the API for people, and whether the server answers."""

from fastapi import APIRouter, Request, Response
from fastapi.responses import HTMLResponse, JSONResponse

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
