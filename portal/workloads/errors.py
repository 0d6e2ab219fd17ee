"""Refusals of the life of a workload."""

from typing import ClassVar

from portal.common.errors import ConflictError, DomainError


class PlacementRefusedError(DomainError):
    """A planned placement is not possible any more; the next scheduling pass decides again."""

    status: ClassVar[int] = 409


class EvictionRefusedError(DomainError):
    """A planned eviction is not possible any more; the next scheduling pass decides again."""

    status: ClassVar[int] = 409


class ConcurrentChangeError(ConflictError):
    """Another transaction moved the workload first; read it again and decide again."""
