"""All checks in their order."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from elasticsearch import ApiError, Elasticsearch

from citespan.deploy.doctor import catalogue, indices, machine, models, server
from citespan.deploy.doctor.finding import Finding
from citespan.deploy.node.client import in_use, reach
from citespan.pipelines.errors import ElasticsearchUnreachableError, InputError
from citespan.pipelines.server_reason import server_reason

_ON_SERVER: tuple[Callable[[Elasticsearch], Iterator[Finding]], ...] = (
    server.health,
    server.disk,
    server.heap,
    server.shards,
    indices.blocked,
    indices.unhealthy,
    indices.versions,
    catalogue.spans,
    catalogue.sentences,
)


@dataclass(frozen=True, slots=True)
class Checkup:
    """What all checks have found.

    Attributes:
        reached: whether a server answered.
    """

    findings: list[Finding]
    reached: bool

    @property
    def failed(self) -> bool:
        """Whether something needs mending."""
        return any(finding.state == "failure" for finding in self.findings)


def check(thorough: bool) -> Checkup:
    """Look at everything; nothing is changed.

    Args:
        thorough: compare checksums of the vocabulary, and count the sentences of each article.
    """
    findings: list[Finding] = []
    reached = False
    try:
        client, info = reach(in_use())
    except (ElasticsearchUnreachableError, InputError) as error:
        what, _, remedy = str(error).rpartition("; ")
        findings.append(Finding("server", "failure", what or remedy, remedy if what else ""))
    else:
        reached = True
        with client:
            findings += server.version(info)
            on_server = (*_ON_SERVER, catalogue.sentences_of_each) if thorough else _ON_SERVER
            for one in on_server:
                findings += _asked(one, client)
    findings += machine.findings()
    findings += models.findings(thorough)
    return Checkup(findings, reached)


def _asked(
    one: Callable[[Elasticsearch], Iterator[Finding]], client: Elasticsearch
) -> list[Finding]:
    """What a check finds, or that the server would not say."""
    try:
        return list(one(client))
    except ApiError as error:
        name = one.__name__.replace("_", " ")
        return [
            Finding(
                name,
                "warning",
                f"the server won't tell: {server_reason(error)}",
                "see it by an API key with the cluster privilege monitor, and view_index_metadata, "
                "monitor and read on citespan-*",
            )
        ]
