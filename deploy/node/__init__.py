"""A running Elasticsearch for citespan: found, started or assembled, watched and stopped."""

from citespan.deploy.node.lifecycle import NodeStatus, Stopped, down, logs, status, up
from citespan.deploy.node.state import NodeState

__all__ = ["NodeState", "NodeStatus", "Stopped", "down", "logs", "status", "up"]
