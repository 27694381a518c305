"""The named exceptions of citespan. Each message says what is wrong, where, and what to do."""

import errno

REBUILD_REMEDY = "load again with `citespan index … --rebuild`"
_OF_THE_MACHINE = frozenset(
    (errno.ENOSPC, errno.EDQUOT, errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.EROFS)
)


class CitespanError(Exception):
    """What a user can correct. `exit_status` is the exit status of the command line for it."""

    exit_status = 2


class OutsideError(CitespanError):
    """What no input is to blame for: the server, this machine, or another command."""

    exit_status = 3


class InputError(CitespanError):
    """A file, folder or argument that can't be used."""


class UnknownNameError(CitespanError):
    """A name that no registry, index or collection knows.

    Args:
        known: all names, or those that are similar.
    """

    def __init__(self, kind: str, name: str, known: list[str], similar: bool = False) -> None:
        choices = ", ".join(known) if known else "none"
        remedy = f"did you mean {choices}?" if similar else f"choose from: {choices}"
        super().__init__(f"unknown {kind} '{name}'; {remedy}")
        self.kind = kind
        self.name = name
        self.known = known


class OtherVersionError(CitespanError):
    """What is asked for is in an index that another version of citespan has made."""

    def __init__(self, index: str, version: int | None, wanted: int) -> None:
        described = "of no mapping version" if version is None else f"of mapping version {version}"
        update = "update citespan, or " if version is not None and version > wanted else ""
        super().__init__(
            f"{index} is {described}, and this citespan needs {wanted}: {update}{REBUILD_REMEDY}"
        )


class ArticleGoneError(CitespanError):
    """The documents of an article that its catalogue entry names are not there."""


class RemainingDocumentsError(OutsideError):
    """The server refuses to delete documents of articles whose entries are deleted."""


class ElasticsearchUnreachableError(OutsideError):
    """No Elasticsearch server answers."""


class MachineError(OutsideError):
    """This machine can't do the work, as with a full disk or a damaged installation. It ends a
    load."""


def raise_if_machine(error: OSError) -> None:
    """Raise for what the system refuses whatever the input is.

    Raises:
        MachineError: for a full disk, too many open files, or too little memory.
    """
    if error.errno in _OF_THE_MACHINE:
        place = f"{error.filename}: " if error.filename else ""
        raise MachineError(
            f"{place}{error.strerror}; make room on this machine or raise its limits, and repeat "
            "the command"
        ) from error
