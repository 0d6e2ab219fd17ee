"""What rules can watch, with the unit of each threshold and the shipped rule of each kind; pure."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

THRESHOLD_MAX: Final = 100_000
"""Largest threshold of any kind."""
DURATION_S_MAX: Final = 7 * 24 * 3600
"""How long a rule may wait before it fires."""


class AlarmKind(StrEnum):
    """What a rule watches; the platform stores each of these facts already."""

    GPU_IDLE = "gpu_idle"
    """Running work that holds GPUs and hardly uses them."""
    GPU_HOT = "gpu_hot"
    GPU_FAULT = "gpu_fault"
    """A card that its node has taken out of service: Xid, ECC, foreign processes, memory left over."""
    NODE_SILENT = "node_silent"
    """A node that is not heard, or reports itself unable to run work."""
    WORK_WAITING = "work_waiting"
    QUOTA_NEAR = "quota_near"
    BUDGET_NEAR = "budget_near"
    """A budget of GPU-hours or money that is nearly used up in its present period."""
    TIME_LIMIT_NEAR = "time_limit_near"
    """Running work that will soon be stopped by its time limit or for a reservation."""
    DISK_NEAR_FULL = "disk_near_full"
    """The disk of a node where containers and images are stored."""
    VOLUME_NEAR_FULL = "volume_near_full"
    WORK_HELD = "work_held"
    """Work that is on hold because it was evicted again and again without getting anywhere."""


class AlarmUnit(StrEnum):
    """Unit of a threshold and of the values that are held against it."""

    NONE = "none"
    """The condition holds or not; there is no threshold."""
    PERCENT = "percent"
    CELSIUS = "celsius"
    MINUTES = "minutes"


class AlarmSubjectType(StrEnum):
    """What an alarm is about."""

    WORKLOAD = "workload"
    ACCELERATOR = "accelerator"
    NODE = "node"
    QUOTA = "quota"
    BUDGET = "budget"
    VOLUME = "volume"


LIMITS: Final = (AlarmSubjectType.QUOTA, AlarmSubjectType.BUDGET)
"""What is of a whole group: it goes by the title of the group, and concerns every member."""


class AlarmAct(StrEnum):
    """What a rule does besides notifying people."""

    NONE = ""
    CORDON_NODE = "cordon_node"
    STOP_NOTEBOOK = "stop_notebook"
    RELEASE_GPUS = "release_gpus"
    """The notebook gives up its GPUs and keeps running, as an idle one does."""
    REQUEUE_JOB = "requeue_job"
    CANCEL_JOB = "cancel_job"
    TAG_WORK = "tag_work"
    """The work gets the rule's tag, by which lists find it; it continues."""


class AlarmSeverity(StrEnum):
    """How urgent it is."""

    INFO = "info"
    WARNING = "warning"
    CRITICAL = "critical"


class AlarmAudience(StrEnum):
    """Who is notified."""

    OWNER = "owner"
    """The owner of the work or home."""
    GROUP_ADMINS = "group_admins"
    """The nearest administrators of its group."""
    STAFF = "staff"
    """Administrators and operators of the platform."""


_OWNER, _ADMINS, _STAFF = AlarmAudience.OWNER, AlarmAudience.GROUP_ADMINS, AlarmAudience.STAFF


@dataclass(frozen=True, slots=True, kw_only=True)
class KindTerms:
    """What holds for every rule of a kind, and what its shipped rule says."""

    unit: AlarmUnit
    subject: AlarmSubjectType
    threshold: int
    duration_s: int
    severity: AlarmSeverity
    audience: tuple[AlarmAudience, ...]
    is_below: bool = False
    """Fires when the value is at most the threshold, instead of at least."""
    least: int = 1
    most: int = THRESHOLD_MAX
    """Bounds of the threshold."""
    acts: tuple[AlarmAct, ...] = ()
    has_group: bool = False
    """Whether its subjects belong to a group, so that a rule may be about one group only."""
    has_pool: bool = True
    has_past: bool = False
    """Whether the platform stores the past of this fact, so that a rule can be tried on it."""


KINDS: Final[Mapping[AlarmKind, KindTerms]] = {
    AlarmKind.GPU_IDLE: KindTerms(
        unit=AlarmUnit.PERCENT,
        least=0,
        most=99,
        subject=AlarmSubjectType.WORKLOAD,
        threshold=5,
        duration_s=2 * 3600,
        severity=AlarmSeverity.WARNING,
        audience=(_OWNER, _ADMINS),
        is_below=True,
        acts=(
            AlarmAct.RELEASE_GPUS,
            AlarmAct.STOP_NOTEBOOK,
            AlarmAct.REQUEUE_JOB,
            AlarmAct.CANCEL_JOB,
            AlarmAct.TAG_WORK,
        ),
        has_group=True,
        has_past=True,
    ),
    AlarmKind.GPU_HOT: KindTerms(
        unit=AlarmUnit.CELSIUS,
        least=30,
        most=130,
        subject=AlarmSubjectType.ACCELERATOR,
        threshold=88,
        duration_s=300,
        severity=AlarmSeverity.WARNING,
        audience=(_STAFF,),
        acts=(AlarmAct.CORDON_NODE,),
        has_past=True,
    ),
    AlarmKind.GPU_FAULT: KindTerms(
        unit=AlarmUnit.NONE,
        subject=AlarmSubjectType.ACCELERATOR,
        threshold=1,
        duration_s=0,
        severity=AlarmSeverity.CRITICAL,
        audience=(_STAFF,),
        acts=(AlarmAct.CORDON_NODE,),
    ),
    AlarmKind.NODE_SILENT: KindTerms(
        unit=AlarmUnit.NONE,
        subject=AlarmSubjectType.NODE,
        threshold=1,
        duration_s=120,
        severity=AlarmSeverity.CRITICAL,
        audience=(_STAFF,),
        acts=(AlarmAct.CORDON_NODE,),
    ),
    AlarmKind.WORK_WAITING: KindTerms(
        unit=AlarmUnit.MINUTES,
        subject=AlarmSubjectType.WORKLOAD,
        threshold=12 * 60,
        duration_s=0,
        severity=AlarmSeverity.INFO,
        audience=(_OWNER, _ADMINS),
        acts=(AlarmAct.TAG_WORK,),
        has_group=True,
        has_past=True,
    ),
    AlarmKind.QUOTA_NEAR: KindTerms(
        unit=AlarmUnit.PERCENT,
        most=100,
        subject=AlarmSubjectType.QUOTA,
        threshold=95,
        duration_s=900,
        severity=AlarmSeverity.INFO,
        audience=(_ADMINS,),
        has_group=True,
    ),
    AlarmKind.BUDGET_NEAR: KindTerms(
        unit=AlarmUnit.PERCENT,
        subject=AlarmSubjectType.BUDGET,
        threshold=80,
        duration_s=0,
        severity=AlarmSeverity.WARNING,
        audience=(_ADMINS,),
        has_group=True,
    ),
    AlarmKind.TIME_LIMIT_NEAR: KindTerms(
        unit=AlarmUnit.MINUTES,
        most=24 * 60,
        subject=AlarmSubjectType.WORKLOAD,
        threshold=30,
        duration_s=0,
        severity=AlarmSeverity.WARNING,
        audience=(_OWNER,),
        is_below=True,
        acts=(AlarmAct.TAG_WORK,),
        has_group=True,
        has_past=True,
    ),
    AlarmKind.DISK_NEAR_FULL: KindTerms(
        unit=AlarmUnit.PERCENT,
        most=100,
        subject=AlarmSubjectType.NODE,
        threshold=90,
        duration_s=300,
        severity=AlarmSeverity.WARNING,
        audience=(_STAFF,),
        acts=(AlarmAct.CORDON_NODE,),
    ),
    AlarmKind.VOLUME_NEAR_FULL: KindTerms(
        unit=AlarmUnit.PERCENT,
        most=100,
        subject=AlarmSubjectType.VOLUME,
        threshold=95,
        duration_s=0,
        severity=AlarmSeverity.WARNING,
        audience=(_OWNER, _ADMINS),
        has_group=True,
        has_pool=False,
    ),
    AlarmKind.WORK_HELD: KindTerms(
        unit=AlarmUnit.NONE,
        subject=AlarmSubjectType.WORKLOAD,
        threshold=1,
        duration_s=0,
        severity=AlarmSeverity.WARNING,
        audience=(_STAFF,),
        acts=(AlarmAct.TAG_WORK,),
        has_group=True,
    ),
}
