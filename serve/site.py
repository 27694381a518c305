"""What all pages share: the server behind them, the threads that answer, the templates."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Self, TypeVar

from elasticsearch import Elasticsearch
from fastapi import Request, Response
from fastapi.responses import HTMLResponse

from citespan.pipelines.reformulation.options import Options
from citespan.serve import checks
from citespan.serve.access import Access
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


class Site:
    """What the views answer with.

    Args:
        options: of reformulations, such as the vocabulary.
        access: who may ask.
        check_seconds: how long the check of a manuscript may take.
        articles: a folder of articles in place of a server; None for the server.
        keep: the folder for reports and decisions; None for that of this user.
    """

    def __init__(
        self,
        options: Options,
        access: Access,
        check_seconds: int = checks.SECONDS,
        articles: Path | None = None,
        keep: Path | None = None,
    ) -> None:
        self.options = options
        self.access = access
        self.check_seconds = check_seconds
        self.server = SearchServer() if articles is None else FolderServer(articles)
        self.checks = checks.Checks(check_seconds, self.server.kept, keep)
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
