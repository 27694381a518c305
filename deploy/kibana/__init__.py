"""What Kibana is given: data views, saved searches and dashboards, through its saved-objects import
API. They are kept as Kibana's own export format in `citespan.ndjson`, an object in each line."""

import json
import os
from pathlib import Path
from typing import Any
from urllib.parse import quote

import urllib3

from citespan.deploy.client import read_api_key, remove_credentials, shorten_reason, split_address
from citespan.pipelines.errors import InputError, OutsideError

API_KEY = "CITESPAN_KIBANA_API_KEY"
CA = "CITESPAN_KIBANA_CA"
OBJECTS = Path(__file__).resolve().parent / "citespan.ndjson"
_TIMEOUT = 60.0
_SHOWN = 200


class KibanaError(OutsideError):
    """Kibana is out of reach or refused the objects."""


def read_objects() -> list[dict[str, Any]]:
    """Return all objects; each comes before those that refer to it."""
    return [json.loads(line) for line in OBJECTS.read_bytes().splitlines()]


def import_objects(url: str, space: str) -> int:
    """Import all objects into one space, over those of an earlier import.

    Args:
        url: of Kibana; the API key comes from CITESPAN_KIBANA_API_KEY, a CA certificate's path
            from CITESPAN_KIBANA_CA.
        space: the id of a space that exists; "default" is always there.

    Returns:
        How many objects Kibana took.

    Raises:
        InputError: if the address, the key or the certificate can't be used.
        KibanaError: if Kibana doesn't answer or refuses; it says why.
    """
    shown = remove_credentials([split_address(url.strip(), "`url`")])
    prefix = "" if space == "default" else f"/s/{quote(space, safe='')}"
    response = _post(f"{url.strip().rstrip('/')}{prefix}/api/saved_objects/_import", shown)
    answer = _json(response.data)
    if response.status in (401, 403):
        raise KibanaError(
            f"Kibana refused the credentials ({response.status}); put an API key that may manage "
            f"saved objects in the space '{space}' into {API_KEY}"
        )
    if response.status == 404:
        raise KibanaError(f"Kibana at {shown} has no space '{space}', or this is not Kibana")
    if response.status == 200 and "success" not in answer:
        raise KibanaError(f"what answers at {shown} isn't Kibana, or a proxy is before it")
    if response.status != 200 or not answer.get("success"):
        text = " ".join(response.data[:_SHOWN].decode("utf-8", "replace").split())
        problem = answer.get("message") or answer.get("errors") or text or "without a reason"
        raise KibanaError(f"Kibana refused the import ({response.status}): {problem}")
    return int(answer.get("successCount", 0))


def _post(address: str, shown: str) -> urllib3.BaseHTTPResponse:
    """Send the objects.

    Raises:
        InputError: if the key or the certificate can't be used.
        KibanaError: if nothing answers.
    """
    headers = {"kbn-xsrf": "citespan"}
    if key := read_api_key(API_KEY):
        headers["Authorization"] = f"ApiKey {key}"
    certificates = os.environ.get(CA)
    if certificates and not Path(certificates).is_file():
        raise InputError(f"{CA} names {certificates}, which is no file")
    file = (OBJECTS.name, OBJECTS.read_bytes(), "application/ndjson")
    pool = urllib3.PoolManager(
        ca_certs=certificates, retries=urllib3.Retry(2, redirect=0), timeout=_TIMEOUT
    )
    try:
        return pool.request(
            "POST", f"{address}?overwrite=true", fields={"file": file}, headers=headers
        )
    except (urllib3.exceptions.HTTPError, ValueError, OSError) as error:
        raise KibanaError(
            f"no Kibana answers at {shown} ({shorten_reason(error)}); check `url`"
        ) from error


def _json(data: bytes) -> dict[str, Any]:
    try:
        answer = json.loads(data)
    except ValueError:
        return {}
    return answer if isinstance(answer, dict) else {}
