"""All checks in their order."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

from elasticsearch import ApiError, Elasticsearch, TransportError

from citespan.deploy.client import find_server, reach
from citespan.deploy.doctor import catalogue, indices, server
from citespan.deploy.doctor.installation import check_machine, check_models, check_plugins
from citespan.pipelines.errors import ElasticsearchUnreachableError, InputError, OtherVersionError
from citespan.pipelines.server_reason import UNAVAILABLE, server_reason
from citespan.pipelines.store.finding import Finding
from citespan.pipelines.store.layout import layouts

_Check = Callable[[Elasticsearch], Iterator[Finding]]
_OF_SERVER: tuple[_Check, ...] = (
    server.health,
    server.disk,
    server.heap,
    server.shards,
    indices.blocked,
    indices.unhealthy,
    indices.versions,
    indices.left_over,
    server.writers,
)
_OF_CATALOGUE: tuple[_Check, ...] = (
    catalogue.citations,
    catalogue.links,
    catalogue.citances,
    catalogue.texts,
    catalogue.experiments,
)


@dataclass(frozen=True, slots=True)
class Checkup:
    """What all checks found.

    Attributes:
        reached: whether a server answered.
    """

    findings: list[Finding]
    reached: bool

    @property
    def failed(self) -> bool:
        """Whether any check failed."""
        return any(finding.state == "failure" for finding in self.findings)


def check(thorough: bool, repair: bool = False) -> Checkup:
    """Run all checks; nothing is changed, except by `repair`.

    Args:
        thorough: compare checksums of the vocabulary, and count the sentences of each article.
        repair: delete first what no entry of the catalogue names.
    """
    findings: list[Finding] = []
    reached = False
    try:
        client, info = reach(find_server())
    except (ElasticsearchUnreachableError, InputError) as error:
        message, _, remedy = str(error).rpartition("; ")
        findings.append(Finding("server", "failure", message or remedy, remedy if message else ""))
    else:
        reached = True
        with client:
            findings += server.version(info)
            for name, run in _list_checks(thorough, repair):
                findings += _run_check(name, run, client)
    findings += check_machine()
    findings += check_models(thorough)
    findings += check_plugins()
    return Checkup(findings, reached)


def _list_checks(thorough: bool, repair: bool) -> Iterator[tuple[str, _Check]]:
    """Yield the checks of a server by their names, in their order."""
    first = (catalogue.repair_rebuild, catalogue.repair) if repair else ()
    for run in (*first, *_OF_SERVER):
        yield run.__name__, run
    for layout in layouts:
        yield layout.name, partial(catalogue.check_layout, layout=layout)
    for run in _OF_CATALOGUE:
        yield run.__name__, run
    for layout in layouts if thorough else ():
        yield f"each article in {layout.name}", partial(catalogue.check_each, layout=layout)


def _run_check(name: str, run: _Check, client: Elasticsearch) -> list[Finding]:
    """Return what a check finds, or that the server refused to answer."""
    try:
        return list(run(client))
    except OtherVersionError:
        return []  # `indices.versions` reports it
    except (ApiError, TransportError, ElasticsearchUnreachableError) as error:
        name = name.replace("_", " ")
        if not isinstance(error, ApiError) or error.status_code in UNAVAILABLE:
            reason = server_reason(error) if isinstance(error, ApiError) else str(error)
            message = f"the server can't tell at the moment: {reason}"
            return [
                Finding(name, "failure", message, "see `citespan node status`: do all nodes run?")
            ]
        return [
            Finding(
                name,
                "warning",
                f"the server won't tell: {server_reason(error)}",
                "use an API key with the cluster privilege monitor, and view_index_metadata, "
                "monitor and read on citespan-*",
            )
        ]
