"""What the place where work runs reports of it, with the proofs of what has ended."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from portal.execution.capabilities import Capabilities
from wire.words import Device, SavePhase

AttemptKey = tuple[str, int]
"""Wire name of an allocation and its epoch: one attempt of one replica."""


@dataclass(frozen=True, slots=True)
class OfAttempt:
    """What concerns one attempt of one replica."""

    allocation: str
    """Wire name, `<workload id, hex>.<rank>`."""
    epoch: int

    @property
    def key(self) -> AttemptKey:
        """Return the attempt, by which reports are matched."""
        return self.allocation, self.epoch


@dataclass(frozen=True, slots=True)
class SeenContainer(OfAttempt):
    """A container that exists."""

    phase: str
    port: int | None = None
    is_ready: bool = True
    """It has answered its probe, or has none: then it is ready when it runs."""
    detail: str = ""
    progress_pct: int | None = None
    isolation: str = ""
    """Isolation that is in force on its cards; empty while that is not proven."""
    started_at: int | None = None
    """When it began, in milliseconds of the portal's clock: its program, and of what is ready its work."""
    checkpointed_at: int | None = None
    """When its work was last saved, in milliseconds of the node's clock."""
    devices: tuple[Device, ...] = ()
    """What it holds, where the portal has asked for it."""


@dataclass(frozen=True, slots=True)
class EndedContainer(OfAttempt):
    """A container that has ended."""

    cause: str
    exit_code: int | None = None
    started_at: int | None = None
    finished_at: int | None = None
    """When it ended, as `started_at` in milliseconds of the portal's clock; None if that is not known."""
    detail: str = ""
    checkpointed_at: int | None = None


@dataclass(frozen=True, slots=True)
class UseReport(OfAttempt):
    """The use of one running notebook."""

    idle_ms: int
    use_mark: int
    """A mark of the last use; another mark is another use."""
    used_by: str
    gpu_state: str
    """`held`, `away` or `kept`: whether it is on its GPUs, has left them, or could not leave them."""
    detail: str


@dataclass(frozen=True, slots=True)
class SaveReport:
    """How far the saving of one container as an image has come."""

    save: str
    """The identity that the order gave it."""
    phase: SavePhase
    done_bytes: int = 0
    """While pushing: what was sent of the layers that the registry lacks."""
    total_bytes: int = 0
    size_bytes: int = 0
    """The whole image, unpacked, once it is committed."""
    digest: str = ""
    """Of its manifest in the registry, once it is saved."""
    detail: str = ""
    """Why it failed; begins with a code."""


@dataclass(frozen=True, slots=True)
class Report:
    """All that one node reports at once."""

    applied: int
    """`seq` of the last reply that was acted on; -1 before the first."""
    seq: int = 0
    """Its number: reports of one node rise."""
    seen: tuple[SeenContainer, ...] = ()
    ended: tuple[EndedContainer, ...] = ()
    tombstones: tuple[AttemptKey, ...] = ()
    """Attempts that the node has once taken and has nothing left of."""
    is_new_boot: bool = False
    """It is the first of another boot of the same machine."""
    last_word_at: int | None = None
    """When the node was heard before this report, in milliseconds of the portal's clock."""
    capabilities: Capabilities = field(default_factory=Capabilities)
    uses: tuple[UseReport, ...] = ()
    faults: tuple[Mapping[str, Any], ...] = ()
    """As in `portal.inventory.models.Node.faults`."""
    saves: tuple[SaveReport, ...] = ()
    """How far the saves of images are that the last reply has named."""
