"""Kibana's saved-objects import API."""

import json
import os
from typing import Any
from urllib.parse import quote

import urllib3

from citespan.es_mappings.kibana import objects
from citespan.pipelines.errors import CitespanError

API_KEY = "CITESPAN_KIBANA_API_KEY"
CA = "CITESPAN_KIBANA_CA"
_TIMEOUT = 60.0


class KibanaError(CitespanError):
    """Kibana is out of reach or refused the objects."""

    exit_status = 3


def import_objects(url: str, space: str) -> int:
    """Bring all objects into one space, over those of an earlier import.

    Args:
        url: of Kibana; the API key comes from CITESPAN_KIBANA_API_KEY, a CA certificate's path
            from CITESPAN_KIBANA_CA.
        space: the id of a space that exists; "default" is always there.

    Returns:
        How many objects Kibana took.

    Raises:
        KibanaError: saying what Kibana said.
    """
    headers = {"kbn-xsrf": "citespan"}
    if os.environ.get(API_KEY):
        headers["Authorization"] = f"ApiKey {os.environ[API_KEY]}"
    prefix = "" if space == "default" else f"/s/{quote(space, safe='')}"
    address = f"{url.rstrip('/')}{prefix}/api/saved_objects/_import?overwrite=true"
    file = ("citespan.ndjson", objects.export(), "application/ndjson")
    pool = urllib3.PoolManager(
        ca_certs=os.environ.get(CA), retries=urllib3.Retry(2, redirect=0), timeout=_TIMEOUT
    )
    try:
        response = pool.request("POST", address, fields={"file": file}, headers=headers)
    except (urllib3.exceptions.HTTPError, ValueError) as error:
        raise KibanaError(f"no Kibana answers at {url} ({error}); check --url") from error
    answer = _json(response.data)
    if response.status in (401, 403):
        raise KibanaError(
            f"Kibana refused the credentials ({response.status}); put an API key that may manage "
            f"saved objects in the space '{space}' into {API_KEY}"
        )
    if response.status == 404:
        raise KibanaError(f"Kibana at {url} has no space '{space}', or this is not Kibana")
    if response.status != 200 or not answer.get("success"):
        problem = (
            answer.get("message")
            or answer.get("errors")
            or response.data[:200].decode("utf-8", "replace")
        )
        raise KibanaError(f"Kibana refused the import ({response.status}): {problem}")
    return int(answer["successCount"])


def _json(data: bytes) -> dict[str, Any]:
    try:
        answer = json.loads(data)
    except ValueError:
        return {}
    return answer if isinstance(answer, dict) else {}
