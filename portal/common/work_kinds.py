"""The kinds of work: one row says what holds for all work of a kind; pure.

Whatever differs between kinds is a field here. Code asks the row of the work that it has, never for the name
of a kind; how a kind is added: `docs/dev/adding-a-kind.md`.
"""

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum, StrEnum, auto
from typing import Final, Literal

from scheduler.core.model.states import WorkloadState
from scheduler.core.model.work_traits import EvictAs, WorkTraits
from wire.words import Probe


class WorkAction(StrEnum):
    """An action on one workload; each is an endpoint of its kind."""

    CANCEL = "cancel"
    HOLD = "hold"
    RELEASE = "release"
    REQUEUE = "requeue"
    STOP = "stop"
    START = "start"
    DELETE = "delete"
    """Ends permanently what a stop keeps."""
    CLOSE = "close"
    REMOVE = "remove"
    """Deletes what has ended."""


class IdleRule(Enum):
    """What counts as not using running work, and whose rule ends it."""

    NONE = auto()
    """Nothing: it is at work as long as it runs."""
    POOL = auto()
    """Its node reports its last use; the policy of its pool takes its GPUs first, then stops it."""
    APP = auto()
    """The gateway sees its last use; it ends when it is unused for as long as its app says."""


class FullVolume(Enum):
    """What a full volume means to work that would write to it."""

    WAITS = auto()
    """It is refused, or waits."""
    NOTED = auto()
    """It starts, because its owner can make room there; the log says which volume is full."""
    IGNORED = auto()


class WebEndpoint(Enum):
    """What of running work is opened in a browser."""

    PORTS = auto()
    """The ports that its owner has named, if any."""
    PORT = auto()
    """The one port that it was given; it may be opened before it runs, and is shown when it answers."""
    SERVER = auto()
    """The server that its node starts in it, when that has answered, and the ports that its owner has named."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkTerms:
    """What holds for all work of a kind."""

    kind: str
    """As it is stored, and as the API names it."""
    plural: str
    """The segment of its endpoints below `/api/v1`."""
    page: str
    """The segment of its pages."""
    manifests: tuple[str, ...] = ()
    """The kinds of the manifests that submit it."""

    purpose: Literal["development", "training", "inference"]
    """What the pool is for that serves it, one of `Pool.Purpose`."""
    images: Literal["for_environments", "for_training"] | None = None
    """The column of images that lets it use one; None lets it use each."""
    is_prescribed: bool = False
    """What it requests is laid down elsewhere, by administrators or in a service: its owner chooses nothing of it, and
    rules of groups and pools, templates and advice are not about it."""
    is_counted: bool = False
    """Each that has not ended counts to how many notebooks a user may have in a group."""
    preemptible_by_default: bool = False
    """Its owner is advised to let it be preempted, too."""
    full_volume: FullVolume = FullVolume.IGNORED

    stop: WorkAction
    """What ends it on request."""
    actions: tuple[WorkAction, ...]
    """What may be done to it, in the order in which lists offer it."""
    runs_to_end: bool = False
    """It works until its command has ended: its run times are learned, other work may wait for its end."""
    after_stop: WorkloadState = WorkloadState.CANCELLED
    """The state that a stop leads to."""
    after_end: WorkloadState | None = None
    """The state that follows an end of its own, whatever its exit code is; by None the exit code and the restart
    rule decide."""
    over_time: WorkloadState = WorkloadState.EXPIRED
    """The state that its time limit leads to, or the end of a reservation."""
    has_grace: bool = True
    """It is notified before its time limit ends it, and has the pool's grace period to save itself."""
    is_handed_over: bool = True
    """A member may take it over when its owner has left the group."""
    idle_rule: IdleRule = IdleRule.NONE

    traits: WorkTraits
    """What the scheduler may know of it."""
    container: Literal["environment", "training"]
    """As what its node runs it: a notebook server with a workspace, or a program with a folder of outputs."""
    endpoint: WebEndpoint = WebEndpoint.PORTS
    probe: Probe | None = None
    """How its node asks whether it is ready, unless its spec says so; None is that it is ready when it runs."""
    open_act: str
    """How the audit log calls it when somebody opens it."""
    has_terminal: bool = True

    @property
    def is_kept(self) -> bool:
        """Whether a stop keeps it, with its files, so that it can be started again."""
        return self.after_stop is WorkloadState.SUSPENDED

    @property
    def operation(self) -> str:
        """The first part of the names of its operations in the description of the API."""
        return self.plural.removesuffix("s").replace("-", "_")


NOTEBOOK: Final = WorkTerms(
    kind="environment",
    plural="environments",
    page="notebooks",
    manifests=("Environment",),
    purpose="development",
    images="for_environments",
    is_counted=True,
    full_volume=FullVolume.NOTED,
    stop=WorkAction.STOP,
    actions=(WorkAction.STOP, WorkAction.START, WorkAction.DELETE, WorkAction.REMOVE),
    after_stop=WorkloadState.SUSPENDED,
    after_end=WorkloadState.SUSPENDED,
    over_time=WorkloadState.SUSPENDED,
    has_grace=False,
    traits=WorkTraits(may_borrow=False, guaranteed=True, evict_as=EvictAs.SUSPENDED),
    idle_rule=IdleRule.POOL,
    container="environment",
    endpoint=WebEndpoint.SERVER,
    probe=Probe("/api/status", period_ms=50),
    open_act="environment.open",
)
"""A notebook: it is kept when it stops, and found unchanged when it is started again. Its server is asked often while
it starts, because a person is waiting, and a refused connection costs next to nothing."""

JOB: Final = WorkTerms(
    kind="training",
    plural="jobs",
    page="jobs",
    manifests=("Job", "JobArray"),
    purpose="training",
    images="for_training",
    preemptible_by_default=True,
    full_volume=FullVolume.WAITS,
    stop=WorkAction.CANCEL,
    actions=(
        WorkAction.CANCEL,
        WorkAction.REQUEUE,
        WorkAction.HOLD,
        WorkAction.RELEASE,
        WorkAction.REMOVE,
    ),
    runs_to_end=True,
    traits=WorkTraits(),
    container="training",
    open_act="job.open",
)
"""A job: a program that runs to its end, alone, as one of an array or as a gang of ranks."""

APP: Final = WorkTerms(
    kind="app",
    plural="app-sessions",
    page="apps",
    purpose="development",
    is_prescribed=True,
    stop=WorkAction.CLOSE,
    actions=(WorkAction.CLOSE, WorkAction.REMOVE),
    is_handed_over=False,
    idle_rule=IdleRule.APP,
    traits=WorkTraits(),
    container="training",
    endpoint=WebEndpoint.PORT,
    open_act="app.open",
    has_terminal=False,
)
"""A session of a web app: it shows a folder for as long as somebody looks."""

REPLICA: Final = WorkTerms(
    kind="replica",
    plural="replicas",
    page="replicas",
    manifests=("Service",),
    purpose="inference",
    images="for_training",
    is_prescribed=True,
    stop=WorkAction.STOP,
    actions=(WorkAction.STOP, WorkAction.REMOVE),
    is_handed_over=False,
    traits=WorkTraits(open_end=True),
    container="training",
    endpoint=WebEndpoint.PORT,
    open_act="replica.open",
)
"""A replica of a service: a server of models that answers requests until its service, or somebody, ends it. Its
spec says how it is asked whether it is ready."""

KINDS: Final = {terms.kind: terms for terms in (NOTEBOOK, JOB, APP, REPLICA)}
"""Each kind of work by its name."""


def kinds_where(holds: Callable[[WorkTerms], bool]) -> list[str]:
    """Return the names of the kinds whose row fulfils a condition."""
    return [terms.kind for terms in KINDS.values() if holds(terms)]


SUBMITTED_KINDS: Final = kinds_where(lambda terms: not terms.is_prescribed)
"""Kinds of work whose fields somebody fills in: templates and rules are about these."""
