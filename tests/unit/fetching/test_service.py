"""Requests to a service that answers badly, slowly or not at all."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from email.utils import formatdate

import pytest
from made_services import Schedule, always, serve

from citespan.pipelines.errors import InputError
from citespan.pipelines.fetching import service
from citespan.pipelines.fetching.service import Pace, Service, ServiceAwayError, ServiceError


@pytest.fixture(autouse=True)
def quickly(monkeypatch: pytest.MonkeyPatch) -> None:
    """Waits between attempts are short."""
    monkeypatch.setattr(service, "_FIRST_WAIT", 0.005)
    monkeypatch.setattr(service, "_SECOND", 0.001)


@contextmanager
def asked(schedule: Schedule, seconds: float = 5.0) -> Iterator[Service]:
    with serve(schedule, stall=2.0) as services:
        yield Service("Made", f"{services.url}/europepmc", Pace(1000), "made", {}, seconds)


def ask(made: Service, most: int = 2**20) -> bytes | None:
    return made.ask("PMC500000/fullTextXML", {}, lambda body: body, most)


@pytest.mark.parametrize(
    "fault", ["busy", "unavailable", "page", "cut off", "empty", "reset", "busy with a time"]
)
def test_a_request_is_repeated_until_it_is_answered(fault: str) -> None:
    with asked(lambda number: fault if number < 3 else "") as made:
        body = ask(made)
    assert body is not None
    assert b"Made article 0" in body


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        ("busy", "Made fails: status 429"),
        ("page", "Made fails: a page in place of data"),
        ("empty", "Made fails: an empty answer"),
        ("reset", "Made fails: protocol"),
        ("elsewhere", "Made redirects to elsewhere.example, which is not followed"),
        ("here", "Made redirects again and again"),
        ("refused", "Made refuses a request .status 403.: blocked"),
        ("endless", "Made answers more than 1 MB"),
        ("bomb", "Made answers more than 1 MB"),
    ],
)
def test_a_service_that_always_fails_is_told_in_one_line(fault: str, said: str) -> None:
    with asked(always(fault)) as made, pytest.raises(ServiceError, match=said) as told:
        ask(made)
    assert "\n" not in str(told.value)


@pytest.mark.parametrize("fault", ["stall", "drip"])
def test_an_answer_that_does_not_begin_is_given_up(fault: str) -> None:
    started = time.monotonic()
    with asked(lambda number: fault if number < 2 else "", 0.2) as made:
        assert ask(made) is not None
    assert time.monotonic() - started < 2


def test_what_is_not_there_is_none_at_once() -> None:
    with serve() as services:
        made = Service("Made", f"{services.url}/europepmc", Pace(1000), "made")
        for n in range(5, 10):
            assert made.ask(f"PMC50000{n}/fullTextXML", {}, lambda body: body, 100) is None
        assert len(services.log.requests) == 5


@pytest.mark.parametrize("fault", ["unavailable", "refused", "elsewhere"])
def test_a_service_that_fails_again_and_again_is_away(fault: str) -> None:
    with asked(always(fault)) as made:
        for _ in range(2):
            with pytest.raises(ServiceError):
                ask(made)
        with pytest.raises(ServiceAwayError, match="repeat the command later"):
            ask(made)


def test_a_service_that_asks_for_an_hour_is_away() -> None:
    told = pytest.raises(ServiceAwayError, match="asks to wait for 3,600 s")
    with asked(always("busy for an hour")) as made, told:
        ask(made)


def test_nobody_listens() -> None:
    made = Service("Made", "http://127.0.0.1:9/rest", Pace(1000), "made", seconds=1)
    with pytest.raises(ServiceError, match="Made fails: new connection"):
        ask(made)


@pytest.mark.parametrize("address", ["", "elsewhere", "ftp://a.example", "https://", "file:///a"])
def test_an_address_that_is_none_is_an_input_error(address: str) -> None:
    with pytest.raises(InputError, match="no address of a service"):
        Service("Made", address, Pace(1), "made")


def test_no_second_has_more_requests_than_it_may(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(service, "_SECOND", 1.0)
    pace = Pace(3)
    started = time.monotonic()
    begun, ended = [], []
    for _ in range(7):
        with pace.turn():
            begun.append(time.monotonic())
        ended.append(time.monotonic())
    assert begun[0] - started > 0.99
    assert all(begun[n] - ended[n - 3] > 0.99 for n in range(3, 7))
    assert begun[6] - started < 4


def test_the_time_to_wait_is_a_number_or_a_date() -> None:
    class Answer:
        def __init__(self, written: str) -> None:
            self.headers = {"retry-after": written}

    read = service._read_wait
    assert read(Answer("7")) == 7  # type: ignore[arg-type]
    assert 8 < (read(Answer(formatdate(time.time() + 10))) or 0) <= 10  # type: ignore[arg-type]
    assert read(Answer(formatdate(0))) == 0  # type: ignore[arg-type]
    for written in ("", "soon", "-1", "²"):
        assert read(Answer(written)) is None  # type: ignore[arg-type]
