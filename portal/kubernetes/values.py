"""What is said of a Kubernetes cluster and of the portal's pods there: plain values; times in s since 1970."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from portal.execution.desired import WantedContainer
from portal.execution.report import AttemptKey
from portal.foreign.attempts import JobKey, RefuseAttempt


class Why(StrEnum):
    """Why the portal has deleted a pod; written down on it before that."""

    STOP = "stop"
    """It was not wanted any more."""
    IMAGE = "image"
    """Its image could not be pulled for too long."""


@dataclass(frozen=True, slots=True)
class KubeNode:
    """A node of the cluster."""

    name: str
    address: str
    cpu_milli: int
    memory_mib: int
    gpus: int
    model: str = ""
    """Of its GPUs, as its labels name it; empty if they do not."""
    gpu_memory_mib: int | None = None
    """Of each GPU, if its labels say."""
    is_selected: bool = True
    """It belongs to the pool."""
    away: str = ""
    """Why it takes no work, in Kubernetes' words; empty if it does."""
    is_lost: bool = False
    """Somebody has marked it out of service: nothing of it runs any more."""


@dataclass(frozen=True, slots=True)
class ContainerState:
    """The state of a container; `name` is `waiting`, `running` or `terminated`."""

    name: str
    reason: str = ""
    message: str = ""
    exit_code: int | None = None
    signal: int = 0
    started_at: int | None = None
    ended_at: int | None = None


@dataclass(frozen=True, slots=True)
class ClusterPod:
    """A pod of the portal: one rank of one attempt."""

    name: str
    key: JobKey
    rank: int
    node: str
    phase: str
    created_at: int
    reply: int = 0
    """`seq` of the reply that started it."""
    reason: str = ""
    message: str = ""
    container: ContainerState | None = None
    """None before the kubelet has said anything of it."""
    grace_s: int | None = None
    """None: it is not being deleted. 0: its kubelet has ended it, or somebody has forced its deletion."""
    why: str = ""
    """Why the portal has deleted it, as in `Why`; empty if it has not."""
    finalizers: tuple[str, ...] = ()

    @property
    def attempt(self) -> AttemptKey:
        """Return which attempt of which replica it is."""
        return self.key.rank(self.rank)

    @property
    def is_deleted(self) -> bool:
        """Return whether its deletion has begun."""
        return self.grace_s is not None


@dataclass(frozen=True, slots=True)
class KubeView:
    """What the cluster said in one round: all its nodes, and all pods of the pool."""

    at: int
    nodes: Mapping[str, KubeNode] = field(default_factory=dict)
    pods: tuple[ClusterPod, ...] = ()


@dataclass(frozen=True, slots=True)
class PodTerms:
    """How the pods of a pool are made."""

    site: str
    """Begins the name of every pod of the pool."""
    namespace: str
    resource: str
    """What GPUs are counted as, such as `nvidia.com/gpu`."""
    time_limit_s: int
    """Of work that has none of its own."""
    outputs_claim: str = ""
    """A claim of a volume for outputs; without one they are gone with their pod."""
    pull_secret: str = ""


@dataclass(frozen=True, slots=True)
class CreatePods:
    """Create the pods of an attempt that are not there, all of its ranks at first."""

    key: JobKey
    ranks: tuple[WantedContainer, ...]
    nodes: tuple[str, ...]
    """Of each rank."""
    missing: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class StopPod:
    """Delete a pod with a grace, of 1 s at least."""

    name: str
    grace_s: int
    why: Why


@dataclass(frozen=True, slots=True)
class ReleasePod:
    """Let go of a pod whose end has been processed."""

    pod: ClusterPod


Order = CreatePods | RefuseAttempt | StopPod | ReleasePod
