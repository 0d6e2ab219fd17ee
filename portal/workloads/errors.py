"""Refusals of the life of a workload."""

from typing import ClassVar

from portal.common.errors import ConflictError, DomainError


class PlacementRefusedError(DomainError):
    """A planned placement no longer holds; the next scheduling pass decides anew."""

    status: ClassVar[int] = 409


class EvictionRefusedError(DomainError):
    """A planned eviction no longer holds; the next scheduling pass decides anew."""

    status: ClassVar[int] = 409


class ConcurrentChangeError(ConflictError):
    """Another transaction moved the workload first; read it again and decide again."""
