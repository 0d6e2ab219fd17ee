"""The lease: without an answer of the portal nothing starts, and some work ends."""

from collections.abc import Callable
from dataclasses import replace

from nodeagent.core.state import AgentState, Container, ContainerKey, PendingStop, stop_by
from wire.words import ExitCause, SilenceTerm

ContainerFilter = Callable[[ContainerKey, SilenceTerm], bool]
"""Returns whether a container is meant, by its key and its term of silence."""


def any_container(_key: ContainerKey, _silence: SilenceTerm) -> bool:
    """Mean every container."""
    return True


def ends_with_lease(_key: ContainerKey, silence: SilenceTerm) -> bool:
    """Mean the containers that may not outlive the lease."""
    return silence is SilenceTerm.REPLACE


def is_lease_valid(state: AgentState, now: int) -> bool:
    """Return whether work may be started at `now`."""
    return now < state.lease_until


def extend_lease(state: AgentState, sent_at: int) -> AgentState:
    """Extend the lease by the answer to a heartbeat sent at `sent_at`; it never gets shorter.

    It counts from the send time. The portal counts from its later reply, so it always waits longer.
    """
    until = sent_at + state.timing.lease_ttl_ms
    return replace(state, lease_until=max(state.lease_until, until))


def fence_if_expired(state: AgentState, now: int) -> AgentState:
    """Decide to stop what does not outlive the lease once it has ended.

    The rest keeps running. Until a new reply is applied nothing starts, and nothing is stopped for
    not being desired.
    """
    if is_lease_valid(state, now):
        return state
    grace_ms = state.timing.fence_grace_ms
    containers = {
        key: _fence(item, grace_ms, now) if ends_with_lease(key, item.silence) else item
        for key, item in state.containers.items()
    }
    return replace(state, desired=None, containers=containers)


def _fence(container: Container, grace_ms: int, now: int) -> Container:
    """Stop within the fence's grace; a stop under way keeps its cause and gets the shorter grace."""
    stop = container.stop
    if stop is None:
        return replace(container, stop=PendingStop(ExitCause.LEASE_ENDED, grace_ms))
    return replace(container, stop=stop_by(stop, now + grace_ms))
