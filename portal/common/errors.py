"""Errors of the domain: a stable code and its parameters.

Messages are made from them in the user's language, by `portal.common.rest.problems` for problem
documents and by the front end for pages.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import ClassVar
from uuid import UUID

from portal.common.clock import to_millis
from portal.common.translations import Titled


@dataclass(frozen=True, slots=True)
class Fault:
    """One of several reasons of a refusal; `pointer` names the field (RFC 6901)."""

    pointer: str
    code: str
    params: Mapping[str, int | str]
    titles: Mapping[str, Titled] = field(default_factory=dict)
    """Parameters that are written in the reader's language."""


Params = Mapping[str, int | str | list[str]]


class DomainError(Exception):
    """A refusal. Callers branch on `code`, never on the text."""

    status: ClassVar[int] = 400
    headers: ClassVar[tuple[tuple[str, str], ...]] = ()
    """What the answer says in its head beside that."""
    faults: tuple[Fault, ...] = ()
    """What it consists of, where that is several things."""

    def __init__(self, code: str, **params: int | str | list[str]) -> None:
        """Keep the stable code and the parameters that explain it."""
        super().__init__(code)
        self.code = code
        self.params: Params = params


class InvalidError(DomainError):
    """The input is well-formed but cannot be accepted. `pointer` names the field (RFC 6901)."""

    status = 422


class DeniedError(DomainError):
    """The actor may see the object but not do this to it.

    `group_id` is the group of the object, for the audit log; no answer shows it.
    """

    status = 403

    def __init__(
        self, code: str, *, group_id: UUID | None = None, **params: int | str | list[str]
    ) -> None:
        """Keep the code, its parameters and the group."""
        super().__init__(code, **params)
        self.group_id = group_id


class NotFoundError(DomainError):
    """There is no such object, or the actor may not see it."""

    status = 404

    def __init__(self, what: str) -> None:
        """Name the kind of object only: an id could reveal another tenant's."""
        super().__init__("not_found", what=what)


class ConflictError(DomainError):
    """The object's state does not allow this, or another request came first."""

    status = 409


class ExhaustedError(DomainError):
    """A counted limit is reached: of sessions, of queued work, of what a user may have.

    A quota of GPUs never is: work waits for it (`quota_ceiling`), and is refused as invalid when
    it could never start. `docs/reference/refusals.md` has every code with its status.
    """

    status = 409


def changed_by_another(who: str | None, at: datetime) -> ConflictError:
    """Return the refusal to save what was saved since the caller read it: by whom, and when.

    None is somebody who is gone.
    """
    return ConflictError("changed_by_another", who=who or "–", changed_at=to_millis(at))
