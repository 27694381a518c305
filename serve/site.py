"""What all pages share: the server behind them, the threads that answer, the templates."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self, TypeVar

from elasticsearch import Elasticsearch
from fastapi import Request, Response
from fastapi.responses import HTMLResponse

from citespan.pipelines.reformulation.options import Options
from citespan.serve import checks
from citespan.serve.access import Access
from citespan.serve.connections import OF_ONE_ADDRESS
from citespan.serve.downloads import make_download, write_json
from citespan.serve.page import make_environment
from citespan.serve.problems import BusyError, TooLateError
from citespan.serve.search_server import FolderServer, SearchServer

ANSWER_SECONDS = 15
"""How long a page or an answer of the API may take in all, waiting for its turn included."""
_AT_ONCE = 4  # the server searches for some while another is ranked
_MOST_WAITING = 200
_HEALTH_SECONDS = 3

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Service:
    """What is served, and where.

    Attributes:
        host, port: where to listen; port 0 for any that is free.
        options: of reformulations, such as the vocabulary.
        public_url: the address by which others reach it through a proxy on this machine; "" for
            none.
        connections: how many an address may have at once.
        check_seconds: how long the check of a manuscript may take.
        articles: a folder of articles to serve in place of a server's; None for the server.
        tokens: a file of people with their tokens; None for none.
        keep: the folder for reports and decisions; None for that of this user.
    """

    host: str = "127.0.0.1"
    port: int = 0
    options: Options = Options()  # noqa: RUF009  frozen
    public_url: str = ""
    connections: int = OF_ONE_ADDRESS
    check_seconds: int = checks.SECONDS
    articles: Path | None = None
    tokens: Path | None = None
    keep: Path | None = None


class Site:
    """What the views answer with.

    Args:
        access: who may ask.
    """

    def __init__(self, service: Service, access: Access) -> None:
        self.options = service.options
        self.access = access
        self.check_seconds = service.check_seconds
        folder = service.articles
        self.server = SearchServer() if folder is None else FolderServer(folder)
        self.checks = checks.Checks(service.check_seconds, self.server.kept, service.keep)
        self._templates = make_environment(Path(__file__).parent / "templates")
        self._templates.globals["has_sessions"] = bool(access.people)
        self._threads = ThreadPoolExecutor(_AT_ONCE, "answer")
        self._health = ThreadPoolExecutor(1, "health")
        self._waiting = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.checks.close()

    async def ask(self, work: Callable[[Elasticsearch], T]) -> T:
        """Do work that asks the server, in a thread.

        Raises:
            TooLateError: if that takes longer than answers may take; the work ends by itself, since
                each of its requests has a time limit.
            BusyError: if too many wait for their turn.
            CitespanError: from the work.
        """
        if self._waiting >= _MOST_WAITING:
            raise BusyError("too much is asked at once; ask again in a few seconds")
        self._waiting += 1
        try:
            return await _wait(self._threads, lambda: work(self.server.connect()), ANSWER_SECONDS)
        except TimeoutError as error:
            raise TooLateError(
                f"Elasticsearch has not answered within {ANSWER_SECONDS} s; see `citespan node "
                "status`"
            ) from error
        finally:
            self._waiting -= 1

    async def check_health(self) -> str:
        """Return the version of the server.

        Raises:
            Exception: if it does not answer at once, whatever the client raises.
        """

        def ask() -> str:
            client = self.server.connect().options(request_timeout=_HEALTH_SECONDS)
            return str(client.info()["version"]["number"])

        try:
            return await _wait(self._health, ask, 2 * _HEALTH_SECONDS)
        except TimeoutError as error:
            raise TooLateError("Elasticsearch does not answer") from error

    def make_page(self, template: str, **values: Any) -> str:
        """Return a page as HTML."""
        return self._templates.get_template(template).render(**values)

    async def show(
        self, template: str, work: Callable[[Elasticsearch], dict[str, Any]]
    ) -> HTMLResponse:
        """Return the page of a template with the values that work returns."""
        return HTMLResponse(await self.ask(lambda client: self.make_page(template, **work(client))))

    async def offer(self, name: str, work: Callable[[Elasticsearch], str | bytes]) -> Response:
        """Return what work returns as a file of that name."""
        return make_download(await self.ask(work), name)

    async def answer(self, work: Callable[[Elasticsearch], Any]) -> Response:
        """Return what work returns as JSON."""
        content = await self.ask(lambda client: write_json(work(client)))
        return Response(content, media_type="application/json")


async def _wait(threads: ThreadPoolExecutor, work: Callable[[], T], seconds: float) -> T:
    running = asyncio.get_running_loop().run_in_executor(threads, work)
    return await asyncio.wait_for(running, seconds)


def site_of(request: Request) -> Site:
    """Return the site that a request is for."""
    site = request.app.state.site
    assert isinstance(site, Site)
    return site
