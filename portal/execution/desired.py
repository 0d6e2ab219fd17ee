"""What the place where work runs is to do: the complete desired state, gathered part by part.

Fields have the names and the meaning of those in `wire.messages`, where they are described.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Self

from portal.execution.report import AttemptKey, OfAttempt
from wire.versions import STOP_GRACE_S
from wire.words import Device, Probe, SilenceTerm


@dataclass(frozen=True, slots=True)
class MountedDataset:
    """A data set that work reads."""

    name: str
    path: str
    is_published: bool = False
    version: int = 0


@dataclass(frozen=True, slots=True)
class MountedVolume:
    """A volume, or the home of its owner."""

    name: str
    volume: str
    is_read_only: bool = False
    limit_mib: int = 0


@dataclass(frozen=True, slots=True)
class MountedInput:
    """What an earlier job has left."""

    name: str
    workload: str


@dataclass(frozen=True, slots=True)
class ArrayPosition:
    """Which task of a job array work is."""

    id: str
    index: int
    size: int


@dataclass(frozen=True, slots=True)
class WorkSpec:
    """What to run."""

    kind: str
    workload: str
    name: str
    image: str
    cpu_milli: int
    memory_mib: int
    command: tuple[str, ...] = ()
    script: str = ""
    env: Mapping[str, str] = field(default_factory=dict)
    rank: int = 0
    ranks: int = 1
    master_address: str = ""
    hosts: tuple[str, ...] = ()
    ranks_here: int = 1
    local_rank: int = 0
    restart: int = 0
    app_token: str = ""
    base_path: str = "/"
    ports: tuple[int, ...] = ()
    disk_mib: int = 0
    launcher: str = "plain"
    framework: str = ""
    cluster_token: str = ""
    has_secrets: bool = False
    has_registry_login: bool = False
    builds_image: bool = False
    tenant: str = ""
    array: ArrayPosition | None = None
    datasets: tuple[MountedDataset, ...] = ()
    home: MountedVolume | None = None
    volumes: tuple[MountedVolume, ...] = ()
    inputs: tuple[MountedInput, ...] = ()
    probe: Probe | None = None


@dataclass(frozen=True, slots=True)
class AttemptLimit:
    """How long work may still run, and how it ends then if the portal is not heard."""

    remaining_s: int
    grace_s: int = STOP_GRACE_S
    notice_s: int = 0
    signal: str = ""


@dataclass(frozen=True, slots=True)
class WantedContainer(OfAttempt):
    """One attempt of one replica that must run."""

    spec: WorkSpec
    devices: tuple[Device, ...] = ()
    is_parked: bool = False
    silence: SilenceTerm = SilenceTerm.REPLACE
    limit: AttemptLimit | None = None


@dataclass(frozen=True, slots=True)
class GrantedGrace(OfAttempt):
    """How much time an attempt that is to end has, and how it is notified."""

    seconds: int
    notice_s: int = 0
    signal: str = ""
    reason: str = ""


@dataclass(frozen=True, slots=True)
class ImageSaveOrder(OfAttempt):
    """A running container that is to be saved as an image."""

    save: str
    reference: str
    bytes_max: int
    is_build: bool = False
    env: tuple[str, ...] = ()
    verdict: str = ""


@dataclass(frozen=True, slots=True)
class DesiredState:
    """All that a node is to run and to do; what it does not name ends.

    Each subject fills fields of its own, and returns them as a part.
    """

    containers: tuple[WantedContainer, ...] = ()
    unknown: tuple[AttemptKey, ...] = ()
    """What the database does not know, and continues as it is."""
    acks: tuple[AttemptKey, ...] = ()
    """Reported ends that were processed; the node may forget them."""
    graces: tuple[GrantedGrace, ...] = ()
    images: tuple[str, ...] = ()
    """Images to pull ahead of use."""
    login_hosts: tuple[str, ...] = ()
    """Registries from which it pulls with a login of the portal."""
    saves: tuple[ImageSaveOrder, ...] = ()
    retests: Mapping[str, int] = field(default_factory=dict)
    """Cards to evaluate again, each with the number of that order."""

    def with_part(self, part: "Self | None") -> "Self":
        """Return this with what a part names."""
        if part is None:
            return self
        named = {item.name: getattr(part, item.name) for item in fields(part)}
        return replace(self, **{name: value for name, value in named.items() if value})
