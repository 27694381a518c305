"""Checks of all that citespan needs: the server, its indices, this machine, and plug-ins."""

from citespan.deploy.doctor.checkup import Checkup, check
from citespan.deploy.doctor.finding import Finding

__all__ = ["Checkup", "Finding", "check"]
