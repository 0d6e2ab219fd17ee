"""Errors as facts: a stable code and its parameters. Only the HTTP edge knows about status texts.

The sentence is written from code and parameters in the reader's language, by
`portal.common.problems` for documents and by the front end for pages.
"""

from collections.abc import Mapping
from typing import ClassVar

Params = Mapping[str, int | str | list[str]]


class DomainError(Exception):
    """A refusal. Callers branch on `code`, never on the text."""

    status: ClassVar[int] = 400

    def __init__(self, code: str, **params: int | str | list[str]) -> None:
        """Remember the stable code and the numbers that explain it."""
        super().__init__(code)
        self.code = code
        self.params: Params = params


class InvalidError(DomainError):
    """The input is well-formed but cannot be accepted. `pointer` names the field (RFC 6901)."""

    status = 422


class DeniedError(DomainError):
    """The actor may see the object but not do this to it."""

    status = 403


class NotFoundError(DomainError):
    """There is no such object, or it is another tenant's."""

    status = 404

    def __init__(self, what: str) -> None:
        """Name the kind of thing only: the id may be somebody else's."""
        super().__init__("not_found", what=what)


class ConflictError(DomainError):
    """The object's state does not allow this, or another request came first."""

    status = 409


class ExhaustedError(DomainError):
    """A counted limit of one user is used up: what waits, notebooks, connections, topics.

    A quota of cards never is: work waits for it (`quota_ceiling`), and is refused as invalid when
    it could never start. `docs/reference/refusals.md` has every code with its status.
    """

    status = 409
