"""What silence means, and what a new boot proves: pure decisions, shared with the simulator.

The term of an attempt is fixed when it is placed. Work with the term `replace` ends with the lease
of its node. Work with the term `keep` holds its place until there is a proof that it is gone.
"""

from dataclasses import dataclass
from enum import StrEnum, auto
from typing import Final

from wire.words import SilenceTerm


def effective_term(of_pool: SilenceTerm, asked: str) -> SilenceTerm:
    """Return the term of an attempt: a workload may tighten that of its pool, never loosen it."""
    return SilenceTerm.REPLACE if asked == SilenceTerm.REPLACE else of_pool


class BootVerdict(StrEnum):
    """What a heartbeat of another boot than the known one means."""

    WAIT = auto()
    """The lease of the known boot still runs: both may be alive."""
    SECOND_HOST = auto()
    """Another machine uses the identity of this node. It proves nothing about the first one."""
    UNPROVEN = auto()
    """It may be another machine, and work is kept: nothing is known of that work."""
    LEASE_OVER = auto()
    """It may be another machine, and the lease of the known boot has ended all work there."""
    REBOOTED = auto()
    """The same machine has booted again: nothing of the known boot is left."""


@dataclass(frozen=True, slots=True)
class KnownBoot:
    """The boot of a node that was heard last."""

    machine_id: str
    is_lease_over: bool
    holds_kept: bool
    """Whether it may run work with the term `keep`."""
    is_restored: bool = False
    """Whether it is that of a backup: the machine may have booted since, and its lease is a guess."""


class AgentVerdict(StrEnum):
    """What a heartbeat of the known boot says about who sends it."""

    KNOWN = auto()
    """The agent that holds the lease, or one that has come after it."""
    SECOND = auto()
    """Another agent, while the one that holds the lease is heard: it gets nothing."""
    EARLIER = auto()
    """The agent of before: its message may only be late, which its answer to `CHALLENGE_GAP` tells."""
    TWO_HOSTS = auto()
    """Both are alive and have been given replies: it is not known which of them runs what."""


CHALLENGE_GAP: Final = 100_000
"""An agent that may be dead is instructed to count on so far above the present one: only one that runs does."""


@dataclass(frozen=True, slots=True)
class KnownAgent:
    """The agent of a node that was heard last."""

    instance: str
    """Names its state directory; empty if it does not say."""
    since_seq: int
    """Its first heartbeat since it was started; it has applied no reply from before that."""
    last_seq: int
    challenge_seq: int
    """What an earlier agent was instructed to count on from; -1 if none has spoken."""
    is_heard: bool
    """Whether that was a moment ago."""


def judge_agent(known: KnownAgent, instance: str, seq: int, applied: int) -> AgentVerdict:
    """Return who has sent a heartbeat of the known boot.

    An agent that is restarted has the same state directory, and that has one agent at a time. It has
    applied nothing at first (-1). One that goes by a reply from before the present agent was started
    is the earlier one.
    """
    is_other = bool(instance and known.instance) and instance != known.instance
    if is_other and known.is_heard and applied < 0:
        return AgentVerdict.SECOND
    if seq <= known.last_seq or not 0 <= applied < known.since_seq:
        return AgentVerdict.KNOWN
    has_heard = 0 <= known.challenge_seq < seq
    return AgentVerdict.TWO_HOSTS if has_heard else AgentVerdict.EARLIER


def judge_boot(known: KnownBoot, machine_id: str) -> BootVerdict:
    """Return what the first heartbeat of another boot, on this machine, means.

    Also a new boot of the same machine waits for the lease: by its end a second host with a copied
    machine id would have been noticed.
    """
    are_comparable = _are_comparable(known.machine_id, machine_id)
    is_same = are_comparable and known.machine_id == machine_id
    if not known.is_lease_over:
        return BootVerdict.REBOOTED if known.is_restored and is_same else BootVerdict.WAIT
    if not are_comparable:
        return BootVerdict.UNPROVEN if known.holds_kept else BootVerdict.LEASE_OVER
    return BootVerdict.REBOOTED if is_same else BootVerdict.SECOND_HOST


def _are_comparable(one: str, other: str) -> bool:
    """Return whether two machine ids are known and come from the same source."""
    return bool(one and other) and one.partition(":")[0] == other.partition(":")[0]
