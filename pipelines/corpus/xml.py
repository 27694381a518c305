"""XML read without trust: no entities, no DTD, no network, bounded size and depth."""

import re
from functools import lru_cache
from typing import Any

from lxml import etree

from citespan.pipelines.corpus.files import decode
from citespan.pipelines.errors import InputError

WITHOUT_TRUST: dict[str, Any] = {
    "resolve_entities": False,
    "load_dtd": False,
    "dtd_validation": False,
    "no_network": True,
    "huge_tree": False,
    "remove_comments": True,
    "remove_pis": True,
}
"""The options of every parser here."""
# libxml2 itself refuses more by default; no real article comes near.
MAX_DEPTH = 256
MAX_MARKS = 2_500_000  # of tags and attributes, each of which takes some 250 bytes of memory
_LONGEST_MESSAGE = 200  # libxml2 quotes names in full, however long
_DECLARATION = re.compile(r"^\s*<\?xml[^>]*\?>")
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")
_AMPERSAND = re.compile(r"&(?!(?:amp|lt|gt|quot|apos|#\d{1,7}|#x[0-9A-Fa-f]{1,6});)")
_TAG = re.compile(rb"<([A-Za-z][\w.:-]*)")


class BadXmlError(InputError):
    """XML that can't be used; the message is one line without the file's name."""


def parse(data: bytes) -> etree._Element:
    """Return the root element, without comments and processing instructions.

    A DOCTYPE is accepted and not loaded. The encoding is the declared one, else UTF-8.

    Raises:
        BadXmlError: for XML that is empty, truncated, not well-formed, in another encoding
            than it says, nested deeper than `MAX_DEPTH`, or that uses or declares entities.
    """
    if not data or data.isspace():
        raise BadXmlError("empty file")
    if data.count(b"<") + data.count(b"=") > MAX_MARKS:
        raise BadXmlError(
            f"more than {MAX_MARKS:,} tags and attributes, which no article has; split it"
        )
    try:
        root = etree.fromstring(data, etree.XMLParser(**WITHOUT_TRUST))
    except etree.XMLSyntaxError as error:
        raise BadXmlError(explain_syntax_error(error)) from error
    refuse_declared_entities(root)
    refuse_used_entities(root)
    return root


def mend(data: bytes) -> bytes:
    """Carelessly made XML as well-formed as can be without guessing at tags.

    For collections known for it: mixed encodings (see `files.decode`), control characters
    (become spaces), ampersands that begin no entity of XML (are escaped).
    """
    text = _DECLARATION.sub("", decode(data), count=1)
    return _AMPERSAND.sub("&amp;", _CONTROL.sub(" ", text)).encode()


@lru_cache(maxsize=4096)
def local_name(tag: str) -> str:
    """Return a tag without its namespace."""
    return tag.rpartition("}")[2]


def find_child(element: etree._Element, *names: str) -> etree._Element | None:
    """Return the first descendant down the path of local `names`, or None."""
    here: etree._Element | None = element
    for name in names:
        if here is None:
            return None
        here = next(here.iterchildren(f"{{*}}{name}"), None)
    return here


def forget(element: etree._Element) -> None:
    """Free an element that has been read, and those before it, or the whole file would stay in
    memory."""
    element.clear()
    parent = element.getparent()
    while parent is not None and element.getprevious() is not None:
        del parent[0]


def find_first_tag(start: bytes) -> str:
    """Return the local name of the first element in the first bytes of a file; "" for none."""
    rest = start.removeprefix(b"\xef\xbb\xbf").lstrip()
    while rest.startswith((b"<!", b"<?")):
        stop = b"-->" if rest.startswith(b"<!--") else b">"
        if stop == b">" and b"[" in rest.partition(b">")[0]:
            stop = b"]>"
        rest = rest.partition(stop)[2].lstrip()
    named = _TAG.match(rest)
    return named[1].decode().rpartition(":")[2] if named else ""


def explain_syntax_error(error: etree.XMLSyntaxError) -> str:
    """Return what is wrong with XML and what to do, in one line."""
    message = " ".join(str(error.msg).split())[:_LONGEST_MESSAGE]
    if "xcessive depth" in message:
        return f"elements nested deeper than {MAX_DEPTH}"
    if "Entity '" in message:
        name = message.split("'")[1]
        return f"uses the entity &{name};, which nothing defines; write it as a character"
    if "amplification" in message:
        return "declares entities that expand without end; they are not read, for safety"
    if "encoding" in message or "UTF-8" in message:
        return f"wrong character encoding: {message}; convert it to UTF-8"
    return f"truncated or not well-formed XML: {message}"


def refuse_declared_entities(element: etree._Element) -> None:
    """Entities would be text that is silently missing, or a bomb.

    Raises:
        BadXmlError: if the document of `element` declares one.
    """
    dtd = element.getroottree().docinfo.internalDTD
    if dtd is not None:
        for declared in dtd.iterentities():  # type: ignore[attr-defined]
            if declared.content is not None and declared.system_url is None:
                raise BadXmlError(
                    f"declares the entity &{declared.name[:40]};; entities are not expanded, for "
                    "safety"
                )


def refuse_used_entities(element: etree._Element) -> None:
    """`resolve_entities=False` leaves those used in text in the tree as nodes of their own.

    Raises:
        BadXmlError: if one is used in `element`.
    """
    used = next(element.iter(etree.Entity), None)
    if used is not None:
        raise BadXmlError(
            f"line {used.sourceline}: uses the entity {str(used.text)[:40]}, which is not "
            "expanded, for safety; write it as a character"
        )
