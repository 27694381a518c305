"""Who may ask: by which names of this site, and with a token of one's own or of all, or a session
begun with that."""

import hmac
import secrets
import time
from collections import OrderedDict
from dataclasses import dataclass, field
from hashlib import sha256
from http.cookies import CookieError, SimpleCookie
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Final, Literal, get_args
from urllib.parse import SplitResult, urlsplit

from pydantic import AfterValidator, Field, StrictStr
from pydantic.dataclasses import dataclass as validated_dataclass
from starlette.datastructures import Headers
from starlette.responses import Response

from citespan.pipelines.citations.decisions import LONGEST_NAME
from citespan.pipelines.errors import InputError
from citespan.pipelines.validation import KnownKeys, Text, convert_errors, required, validate
from citespan.pipelines.yaml_file import read_yaml

TOKEN = "CITESPAN_SERVE_TOKEN"  # noqa: S105  the name of a variable
SESSION_SECONDS = 12 * 3600
SHORTEST_TOKEN = 16
_FEWEST_SURPRISES = 8
_MOST_SESSIONS = 1000
_OTHERS = 0o007
_LOOPBACK = ("localhost", "127.0.0.1", "::1")


Right = Literal["read", "check", "decide"]
RIGHTS: Final[tuple[Right, ...]] = get_args(Right)


@dataclass(frozen=True, slots=True)
class Person:
    """Who asks.

    Attributes:
        name: what their decisions are kept under; "" if the token is not that of one person.
        token: what they have to know.
        may: what they may do: "read" pages, which everybody may, "check" manuscripts and delete
            checks, or "decide" about citations.
    """

    name: str
    token: str = field(repr=False)
    may: tuple[Right, ...] = RIGHTS


ANYBODY = Person("", "")
"""Who asks where nothing has to be known."""


@dataclass(frozen=True, slots=True)
class Access:
    """Who may ask.

    Attributes:
        hosts: the names by which browsers may ask for pages; none named for any. It keeps other
            sites from having their own names resolved to this machine.
        people: who has a token; nobody if anybody may ask.
        public: the address by which others reach this site through a proxy; None without one.
    """

    hosts: tuple[str, ...]
    people: tuple[Person, ...] = ()
    public: SplitResult | None = None
    _sessions: "OrderedDict[bytes, tuple[float, Person]]" = field(default_factory=OrderedDict)

    @property
    def is_encrypted(self) -> bool:
        """Whether browsers reach this site by TLS."""
        return self.public is not None and self.public.scheme == "https"

    @property
    def cookie(self) -> str:
        """The name of the cookie with the session; no other host or scheme can set `__Host-`."""
        return "__Host-citespan" if self.is_encrypted else "citespan"

    @property
    def name_cookie(self) -> str:
        """The name of the cookie with the name of who decides."""
        return f"{self.cookie}-name"

    def set_cookie(self, answer: Response, name: str, value: str, seconds: int) -> None:
        """Keep a value in the browser for some time, which no script and no other site can read."""
        answer.set_cookie(
            name, value, max_age=seconds, secure=self.is_encrypted, httponly=True, samesite="strict"
        )

    def knows_host(self, header: str) -> bool:
        """Whether a Host header names this site."""
        if not self.hosts:
            return True
        own = (*self.hosts, *([self.public.hostname] if self.public is not None else []))
        return _host(header) in own

    def is_own_origin(self, origin: str, host: str) -> bool:
        """Whether an Origin header is that of a page of this site, asked for by that Host."""
        try:
            said = urlsplit(origin)
            if self.public is not None and said[:2] == self.public[:2]:
                return True
        except ValueError:
            return False
        return bool(said.netloc) and said.netloc == host

    def find_person(self, token: str) -> Person | None:
        """Return whose token that is."""
        said = token.encode()
        found = [
            person for person in self.people if hmac.compare_digest(said, person.token.encode())
        ]
        return found[0] if found else None

    def admit(self, headers: Headers) -> Person | None:
        """Return who asks, by the token or a session that lasts; None for somebody unknown."""
        if not self.people:
            return ANYBODY
        scheme, _, said = headers.get("authorization", "").partition(" ")
        person = self.find_person(said.strip()) if scheme.lower() == "bearer" else None
        if person is not None:
            return person
        ends, of_session = self._sessions.get(self._read_session(headers), (0.0, None))
        return of_session if ends > time.monotonic() else None

    def begin_session(self, person: Person) -> str:
        """Return the id of a new session, for whoever has shown their token."""
        session = secrets.token_urlsafe(32)
        self._sessions[_digest(session)] = time.monotonic() + SESSION_SECONDS, person
        if len(self._sessions) > _MOST_SESSIONS:
            self._sessions.popitem(last=False)
        return session

    def end_session(self, headers: Headers) -> None:
        """End the session of a request."""
        self._sessions.pop(self._read_session(headers), None)

    def _read_session(self, headers: Headers) -> bytes:
        try:
            cookie = SimpleCookie(headers.get("cookie", "")).get(self.cookie)
        except CookieError:
            return b""
        return b"" if cookie is None else _digest(cookie.value)


def require_strong(token: str, name: str = TOKEN) -> None:
    """Check that a token can't be guessed.

    Args:
        name: of the token in messages.

    Raises:
        InputError: if it is too short, is not ASCII, or repeats or counts most of the way.
    """
    if len(token) < SHORTEST_TOKEN or not token.isascii() or not token.isprintable():
        reason = f"has fewer than {SHORTEST_TOKEN} characters, or others than ASCII"
    elif len(_list_surprises(token)) < _FEWEST_SURPRISES:
        reason = "is easy to guess"
    else:
        return
    raise InputError(f"{name} {reason}: make one at random, as with `openssl rand -hex 16`")


def read_public_url(url: str) -> SplitResult:
    """Return the parts of the address by which others reach this site.

    Raises:
        InputError: if it is not an http or https address of a host without a path.
    """
    try:
        parts = urlsplit(url)
        is_plain = parts.port is None or parts.port > 0
    except ValueError:
        raise InputError(f"`public_url={url}`: no address") from None
    is_plain = is_plain and not (parts.path.strip("/") or parts.query or parts.fragment)
    if (
        parts.scheme not in ("http", "https")
        or not parts.hostname
        or parts.username
        or not is_plain
    ):
        raise InputError(
            f"`public_url={url}`: use an address such as https://evidence.example.org, without a "
            "path"
        )
    return parts._replace(netloc=parts.netloc.lower())


def list_hosts(host: str) -> tuple[str, ...]:
    """Return the names by which a browser on this machine asks for what listens on loopback."""
    return tuple(dict.fromkeys((host.strip("[]").lower(), *_LOOPBACK)))


def _list_surprises(token: str) -> set[tuple[str, int]]:
    """Return the characters that neither repeat an earlier pair nor count on."""
    seen: set[str] = set()
    found = set()
    for place, (letter, after) in enumerate(pairwise(token)):
        if abs(ord(letter) - ord(after)) > 1 and letter + after not in seen:
            found.add((after, place))
        seen.add(letter + after)
    return found


def _digest(session: str) -> bytes:
    return sha256(session.encode(errors="replace")).digest()


def _host(header: str) -> str:
    """Return the name of a host, without its port."""
    try:
        return urlsplit(f"//{header}").hostname or ""
    except ValueError:
        return ""


def _require_name(name: str) -> str:
    if not name or not name.isprintable():
        raise ValueError("empty, or can't be printed; give a name")
    return name


def _require_token(token: str) -> str:
    convert_errors(lambda: require_strong(token, "it"))
    return token


@validated_dataclass(frozen=True, repr=False)
class _Entry(KnownKeys):
    """A person as the file has them."""

    name: Annotated[Text, Field(max_length=LONGEST_NAME), AfterValidator(_require_name)] = (
        required()
    )
    token: Annotated[StrictStr, AfterValidator(_require_token)] = required()
    may: tuple[Right, ...] = ("read",)


def read_people(file: Path) -> tuple[Person, ...]:
    """Return the people of a YAML file, a list of mappings with `name`, `token` and `may`.

    Raises:
        InputError: if it can't be read, others on this machine can read it, a token is weak, or a
            name or a token is there twice.
    """
    try:
        is_open = bool(file.stat().st_mode & _OTHERS)
    except OSError as error:
        raise InputError(f"{file}: can't be read ({error.strerror}); check the path") from error
    if is_open:
        raise InputError(f"{file}: everybody on this machine can use it; run `chmod o= {file}`")
    people = validate(tuple[_Entry, ...], read_yaml(file), str(file))
    if not people:
        raise InputError(f"{file}: nobody is in it; list people with `name`, `token` and `may`")
    for key in ("name", "token"):
        if len({getattr(person, key) for person in people}) < len(people):
            raise InputError(f"{file}: two people have the same {key}; give each their own")
    return tuple(Person(person.name, person.token, person.may) for person in people)
