"""The named exceptions of citespan. Each message says what is wrong, where, and what to do."""


class CitespanError(Exception):
    """What a user can put right. `exit_status` is the command line's for it."""

    exit_status = 2


class InputError(CitespanError):
    """A file, folder or argument that can't be used as it is."""


class UnknownNameError(CitespanError):
    """A name that no registry, index or collection knows."""

    def __init__(self, kind: str, name: str, known: list[str]) -> None:
        choices = ", ".join(known) if known else "none"
        super().__init__(f"unknown {kind} '{name}'; choose from: {choices}")
        self.kind = kind
        self.name = name
        self.known = known


class ElasticsearchUnreachableError(CitespanError):
    """No Elasticsearch server answers."""

    exit_status = 3
