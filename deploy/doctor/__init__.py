"""Whether all that citespan needs is well: the server, its indices, and this machine."""

from citespan.deploy.doctor.checkup import Checkup, check
from citespan.deploy.doctor.finding import Finding

__all__ = ["Checkup", "Finding", "check"]
