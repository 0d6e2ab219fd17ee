"""The one table of legal states and transitions.

The database constraint, the API, the TypeScript union and the docs are derived from it;
`portal.workloads.state.lifecycle` is the only writer of the columns it governs.
Source: docs/architecture.md, "Life of a workload".
"""

from collections.abc import Mapping
from enum import StrEnum
from typing import Final


class WorkloadState(StrEnum):
    """Where a workload is in its life."""

    QUEUED = "queued"
    PLACING = "placing"
    STARTING = "starting"
    RUNNING = "running"
    STOPPING = "stopping"
    SUSPENDED = "suspended"
    SUCCEEDED = "succeeded"
    FAILED = "failed"
    CANCELLED = "cancelled"
    EXPIRED = "expired"


class AllocationState(StrEnum):
    """What one replica holds on one node."""

    RESERVED = "reserved"
    BOUND = "bound"
    LOST = "lost"
    RELEASED = "released"


class NodeState(StrEnum):
    """Whether a node may take work."""

    JOINING = "joining"
    READY = "ready"
    UNREADY = "unready"
    """Silent for a while, or reported itself unable to take work."""
    LOST = "lost"
    """Silent beyond lease and grace: what may be replaced was given up, what is kept still holds."""
    CORDONED = "cordoned"
    """Keeps what it runs, and gets nothing new."""
    DRAINING = "draining"
    """As cordoned, until nothing is left on it."""
    DRAINED = "drained"
    RETIRED = "retired"


class NodeHold(StrEnum):
    """What an operator has decided about a node; it outlasts every silence and return."""

    NONE = ""
    CORDON = "cordon"
    DRAIN = "drain"
    QUARANTINE = "quarantine"
    """Its identity was used by two hosts: it is void, and the node must join again."""


class NodeContact(StrEnum):
    """Whether heartbeats of a node arrive."""

    HEARD = "heard"
    NEVER = "never"
    SILENT = "silent"
    LOST = "lost"


class LossKind(StrEnum):
    """Why the work of a silent node was given up although the node has proven nothing."""

    NONE = ""
    DECLARED = "declared"
    """An operator has declared the node lost."""
    FENCED = "fenced"
    """The fence command has reported that the node is off."""


class AcceleratorState(StrEnum):
    """Health of one card."""

    OK = "ok"
    DIRTY = "dirty"
    SUSPECT = "suspect"
    BAD = "bad"
    GONE = "gone"


W, A, N, C = WorkloadState, AllocationState, NodeState, AcceleratorState

WORKLOAD_TRANSITIONS: Final[Mapping[WorkloadState, frozenset[WorkloadState]]] = {
    # Leaving the queue needs `stopping` only while an earlier attempt still holds something.
    W.QUEUED: frozenset({W.PLACING, W.STOPPING, W.CANCELLED, W.SUSPENDED, W.FAILED}),
    W.PLACING: frozenset({W.STARTING, W.QUEUED, W.STOPPING, W.FAILED, W.SUSPENDED}),
    W.STARTING: frozenset({W.RUNNING, W.QUEUED, W.STOPPING, W.FAILED, W.SUSPENDED}),
    W.RUNNING: frozenset({W.QUEUED, W.STOPPING, W.SUCCEEDED, W.FAILED, W.SUSPENDED}),
    # Left only when the node reports that every container is gone (or lease and grace are over).
    W.STOPPING: frozenset({W.SUCCEEDED, W.FAILED, W.CANCELLED, W.EXPIRED, W.SUSPENDED}),
    # Notebooks only: the files stay, the next start queues again.
    W.SUSPENDED: frozenset({W.QUEUED, W.CANCELLED}),
    W.SUCCEEDED: frozenset(),
    W.FAILED: frozenset(),
    W.CANCELLED: frozenset(),
    W.EXPIRED: frozenset(),
}

ALLOCATION_TRANSITIONS: Final[Mapping[AllocationState, frozenset[AllocationState]]] = {
    A.RESERVED: frozenset({A.BOUND, A.RELEASED}),
    A.BOUND: frozenset({A.LOST, A.RELEASED}),
    A.LOST: frozenset({A.RELEASED}),
    A.RELEASED: frozenset(),
}

_IN_SERVICE: Final = frozenset({N.READY, N.UNREADY, N.LOST, N.CORDONED, N.DRAINING, N.DRAINED})

NODE_TRANSITIONS: Final[Mapping[NodeState, frozenset[NodeState]]] = {
    N.JOINING: _IN_SERVICE - {N.LOST},
    N.READY: _IN_SERVICE - {N.READY},
    N.UNREADY: _IN_SERVICE - {N.UNREADY},
    N.LOST: _IN_SERVICE - {N.LOST} | {N.JOINING, N.RETIRED},
    N.CORDONED: _IN_SERVICE - {N.CORDONED},
    N.DRAINING: _IN_SERVICE - {N.DRAINING},
    N.DRAINED: _IN_SERVICE - {N.DRAINED} | {N.JOINING, N.RETIRED},
    # The name may be given to another machine, by a new join token.
    N.RETIRED: frozenset({N.JOINING}),
}

ACCELERATOR_TRANSITIONS: Final[Mapping[AcceleratorState, frozenset[AcceleratorState]]] = {
    C.OK: frozenset({C.DIRTY, C.SUSPECT, C.GONE}),
    C.DIRTY: frozenset({C.OK, C.SUSPECT, C.GONE}),
    C.SUSPECT: frozenset({C.OK, C.GONE}),
    # Entered by a new card only, one that is too small for its pool; left by a retest.
    C.BAD: frozenset({C.OK, C.GONE}),
    C.GONE: frozenset({C.OK}),
}

TERMINAL: Final = frozenset({W.SUCCEEDED, W.FAILED, W.CANCELLED, W.EXPIRED})
"""Final states, which are never left."""

PLACED: Final = frozenset({W.PLACING, W.STARTING, W.RUNNING})
"""States in which the containers of the current epoch are wanted."""

HOLDING: Final = frozenset({W.PLACING, W.STARTING, W.RUNNING, W.STOPPING})
"""States in which a workload may hold allocations."""

LIVE_ALLOCATION: Final = frozenset({A.RESERVED, A.BOUND, A.LOST})
"""States in which an allocation still occupies capacity and quota."""


def is_legal_transition(current: WorkloadState, target: WorkloadState) -> bool:
    """Return whether the workload edge `current → target` is legal."""
    return target in WORKLOAD_TRANSITIONS[current]


def derive_node_state(
    hold: NodeHold, hearing: NodeContact, *, is_blocked: bool, is_empty: bool
) -> NodeState:
    """Return the one word for a node that has not been retired.

    `is_blocked`: it reports a fault with which it may take no work. `is_empty`: no allocation of it
    is live. An operator's hold shows as soon as the node is heard; a drained node may be silent.
    """
    if hold is NodeHold.DRAIN and is_empty:
        return N.DRAINED
    if hearing is not NodeContact.HEARD:
        silent = {
            NodeContact.NEVER: N.JOINING,
            NodeContact.SILENT: N.UNREADY,
            NodeContact.LOST: N.LOST,
        }
        return silent[hearing]
    if hold is NodeHold.NONE:
        return N.UNREADY if is_blocked else N.READY
    return {NodeHold.CORDON: N.CORDONED, NodeHold.DRAIN: N.DRAINING}.get(hold, N.UNREADY)
