"""Who may ask, how much and how often, and what browsers are told to keep to."""

import asyncio
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.responses import PlainTextResponse
from starlette.testclient import TestClient
from starlette.types import Receive, Scope, Send

from citespan.pipelines.errors import InputError
from citespan.serve import guard
from citespan.serve.access import RIGHTS, Access, Person, Right, list_hosts, read_people
from citespan.serve.guard import LARGEST_BODY, Guard, Rates
from citespan.serve.running import listen
from citespan.serve.site import Service

TOKEN = "k7Qm2xWf9Ld4Rt8Zb1Vn"
LOOPBACK = Access(tuple(list_hosts("127.0.0.1")))


async def echo(scope: Scope, receive: Receive, send: Send) -> None:
    """Answers with the size of the body."""
    size, more = 0, True
    while more:
        message = await receive()
        size += len(message.get("body", b""))
        more = message.get("more_body", False)
    await PlainTextResponse(str(size))(scope, receive, send)


def client_of(access: Access = LOOPBACK, **settings: Any) -> TestClient:
    return TestClient(
        Guard(echo, access), base_url="http://127.0.0.1:8765", follow_redirects=False, **settings
    )


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost:1", "[::1]:8765", "LOCALHOST"])
def test_pages_are_asked_for_by_the_names_of_this_machine(host: str) -> None:
    assert client_of().get("/", headers={"host": host}).status_code == 200


@pytest.mark.parametrize(
    "host",
    ["evil.example", "127.0.0.1.evil.example", "evil.example:8765", "", "[", "a@localhost.x"],
)
def test_another_name_for_this_machine_is_refused(host: str) -> None:
    assert client_of().get("/", headers={"host": host}).status_code == 421
    assert client_of().get("/assets/page.js", headers={"host": host}).status_code == 421


def test_every_answer_has_the_policy_refusals_too() -> None:
    for answer in (client_of().get("/"), client_of().get("/", headers={"host": "evil.example"})):
        policy = answer.headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "script-src 'self';" in policy
        assert "unsafe" not in policy
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["referrer-policy"] == "same-origin"


@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "https://evil.example"},
        {"origin": "null"},
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site"},
    ],
)
def test_other_sites_send_nothing(headers: dict[str, str]) -> None:
    assert client_of().post("/check", headers=headers).status_code == 403


def test_this_site_and_programs_send() -> None:
    own = {"origin": "http://127.0.0.1:8765", "sec-fetch-site": "same-origin"}
    assert client_of().post("/check", headers=own, content=b"abc").text == "3"
    assert client_of().post("/check", content=b"abc").text == "3"


def test_a_body_that_says_that_it_is_too_large_is_refused_unread() -> None:
    answer = client_of().post("/api/check", headers={"content-length": str(LARGEST_BODY + 1)})
    assert answer.status_code == 413
    assert answer.json()["error"]["status"] == 413
    assert client_of().post("/check", headers={"content-length": "-5"}).status_code == 413


def receive_parts(*sizes: int) -> Receive:
    parts = iter(sizes)

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": b"x" * next(parts), "more_body": True}

    return receive


def test_a_body_that_does_not_say_so_is_cut_off() -> None:
    scope = {"type": "http", "method": "POST", "path": "/", "headers": [(b"host", b"localhost")]}

    async def ignore(_: object) -> None:
        """Send nothing."""

    half = LARGEST_BODY // 2
    guarded = Guard(echo, LOOPBACK)
    with pytest.raises(guard.HTTPException) as refused:
        asyncio.run(guarded({**scope, "query_string": b""}, receive_parts(half, half, 1), ignore))
    assert refused.value.status_code == 413


def test_a_body_that_does_not_come_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guard, "BODY_SECONDS", 0.05)

    async def receive() -> dict[str, Any]:
        await asyncio.sleep(60)
        return {}

    async def ignore(_: object) -> None:
        """Send nothing."""

    scope = {"type": "http", "method": "POST", "path": "/", "headers": [(b"host", b"localhost")]}
    with pytest.raises(guard.HTTPException) as refused:
        asyncio.run(Guard(echo, LOOPBACK)({**scope, "query_string": b""}, receive, ignore))
    assert refused.value.status_code == 408


def test_more_requests_than_the_rate_are_refused_and_later_ones_are_not() -> None:
    rates = Rates(rate=2, burst=3)
    assert [rates.take("a", now=0) for _ in range(5)] == [True, True, True, False, False]
    assert rates.take("b", now=0)
    assert [rates.take("a", now=1) for _ in range(3)] == [True, True, False]


@given(st.lists(st.floats(0, 3), max_size=80))
def test_no_address_has_more_than_the_rate_and_the_burst(pauses: list[float]) -> None:
    rates, now, taken = Rates(rate=5, burst=10), 0.0, 0
    for pause in pauses:
        now += pause
        taken += rates.take("a", now)
    assert taken <= 10 + 5 * now + 1e-6


def test_a_flood_is_refused_and_told_when_to_come_back() -> None:
    client = TestClient(Guard(echo, LOOPBACK, Rates(0.001, 2)), base_url="http://localhost")
    answers = [client.get("/") for _ in range(4)]
    assert [answer.status_code for answer in answers] == [200, 200, 429, 429]
    assert answers[-1].headers["retry-after"] == "1"
    assert client.get("/assets/page.js").status_code == 200


def test_a_token_is_asked_for() -> None:
    client = client_of(Access((), (Person("", TOKEN),)))
    page = client.get("/article?article=a&citance=b c")
    assert (page.status_code, page.headers["location"][:10]) == (303, "/login?to=")
    assert "article%3Da%26citance" in page.headers["location"]
    assert client.get("/api/articles").status_code == 401
    assert client.get("/login").status_code == 200
    assert client.get("/assets/page.css").status_code == 200


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"authorization": f"Bearer {TOKEN}"}, 200),
        ({"authorization": f"bearer  {TOKEN} "}, 200),
        ({"authorization": f"Basic {TOKEN}"}, 401),
        ({"authorization": "Bearer "}, 401),
        ({"authorization": "Bearer tökén"}, 401),
        ({"cookie": f"citespan={TOKEN}"}, 401),
        ({"cookie": "citespan="}, 401),
        ({"cookie": ";;=;"}, 401),
    ],
)
def test_who_knows_the_token_is_let_in(headers: dict[str, str], status: int) -> None:
    sent = {name: value.encode() for name, value in headers.items()}
    assert (
        client_of(Access((), (Person("", TOKEN),))).get("/api/articles", headers=sent).status_code
        == status
    )


@pytest.mark.parametrize(
    ("path", "needed"),
    [
        ("/check", "check"),
        ("/api/check", "check"),
        ("/check/abc/delete", "check"),
        ("/api/check/abc", "check"),
        ("/check/abc/decisions", "decide"),
        ("/check/abc/decisions/file", "decide"),
        ("/api/check/abc/decisions", "decide"),
        ("/check/abc/name", "decide"),
        ("/check/abc/decisions/../delete", "check"),
        ("/logout", "read"),
    ],
)
def test_a_token_may_what_it_may(path: str, needed: Right) -> None:
    for may in RIGHTS:
        client = client_of(Access((), (Person("Ada", TOKEN, (may,)),)))
        sent = {"authorization": f"Bearer {TOKEN}"}
        assert client.get(path, headers=sent).status_code == 200
        answer = client.post(path, headers=sent)
        assert answer.status_code == (200 if needed in ("read", may) else 403)
        if answer.status_code == 403:
            assert f"your token may not {needed}" in answer.text


def write_people(file: Path, text: str, mode: int = 0o600) -> Path:
    file.write_text(text)
    file.chmod(mode)
    return file


def test_people_are_read_from_a_file(tmp_path: Path) -> None:
    text = f"- {{name: Ada, token: {TOKEN}, may: [check, decide]}}\n- {{name: Bo, token: {TOKEN}x}}"
    ada, bo = read_people(write_people(tmp_path / "people.yml", text))
    assert (ada.name, ada.may, bo.may) == ("Ada", ("check", "decide"), ("read",))
    assert TOKEN not in repr(ada)
    access = Access((), (ada, bo))
    assert access.find_person(TOKEN + "x") == bo


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (f"- {{name: Ada, token: {TOKEN}, may: [write]}}", "unknown 'write'"),
        ("- {name: Ada, token: short}", "fewer than 16"),
        ("- {name: Ada}", "token: missing"),
        (f"- {{token: {TOKEN}}}", "name"),
        (f"- {{name: Ada, token: {TOKEN}, rights: [read]}}", "rights: unknown key"),
        (f"- {{name: A, token: {TOKEN}}}\n- {{name: A, token: {TOKEN}x}}", "the same name"),
        (f"- {{name: A, token: {TOKEN}}}\n- {{name: B, token: {TOKEN}}}", "the same token"),
        ("[]", "nobody is in it"),
        ("- [", "correct the YAML"),
    ],
)
def test_a_mistake_in_the_file_of_people_is_one_line_without_a_token(
    text: str, reason: str, tmp_path: Path
) -> None:
    with pytest.raises(InputError, match=reason) as refused:
        read_people(write_people(tmp_path / "people.yml", text))
    assert str(refused.value).startswith(f"{tmp_path}/people.yml")
    assert TOKEN not in str(refused.value)


def test_a_file_of_people_that_everybody_can_read_is_refused(tmp_path: Path) -> None:
    text = f"- {{name: Ada, token: {TOKEN}}}"
    with pytest.raises(InputError, match="everybody on this machine"):
        read_people(write_people(tmp_path / "people.yml", text, 0o604))
    with pytest.raises(InputError, match="No such file"):
        read_people(tmp_path / "nowhere.yml")


@pytest.mark.parametrize(
    ("host", "token", "reason"),
    [
        ("0.0.0.0", "", "set CITESPAN_SERVE_TOKEN"),
        ("::", "", "set CITESPAN_SERVE_TOKEN"),
        ("example.org", "", "set CITESPAN_SERVE_TOKEN"),
        ("0.0.0.0", "short", "fewer than 16"),
        ("127.0.0.1", "with-é-in-the-middle-of-it", "others than ASCII"),
        ("192.0.2.1", TOKEN, "can't listen at 192.0.2.1"),
    ],
)
def test_it_does_not_start_where_others_reach_it_without_a_token(
    host: str, token: str, reason: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CITESPAN_SERVE_TOKEN", token)
    with pytest.raises(InputError, match=reason), listen(Service(host)):
        pytest.fail("it listens")


def test_it_starts_with_a_token_and_on_loopback_without() -> None:
    with listen(Service()) as server:
        assert server.url.startswith("http://127.0.0.1:")
        port = server.socket.getsockname()[1]
        with pytest.raises(InputError, match="in use"), listen(Service(port=port)):
            pytest.fail("two listen at one port")
