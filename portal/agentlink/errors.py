"""Refusals of the node link."""

from typing import ClassVar

from portal.common.errors import DomainError


class JoinRefusedError(DomainError):
    """The join token does not admit this node; which part was wrong is not told apart."""

    status: ClassVar[int] = 403


class NodeInUseError(DomainError):
    """A node of this name is alive or still holds work: a second host may not take its place."""

    status: ClassVar[int] = 409


class KeyRefusedError(DomainError):
    """The node's key is not, or no longer, valid: it must join anew."""

    status: ClassVar[int] = 401
