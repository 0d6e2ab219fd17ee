"""What alarms are about, in tests: a cluster with one node, work in it, rules of one kind."""

from datetime import UTC, datetime, timedelta
from typing import Any

from django.db import connection

from portal.alarms.evaluation import evaluate_alarms
from portal.alarms.kinds import KINDS, AlarmKind
from portal.alarms.models import Alarm, AlarmRule
from portal.alarms.shipped import ensure_shipped_rules
from portal.common.clock import freeze
from portal.inventory.models import Accelerator
from portal.telemetry.services import maintain_partitions
from portal.workloads.models import Allocation, Workload
from tests.builders.scenes import Scene

NOON = datetime(2030, 5, 15, 12, tzinfo=UTC)
MINUTE = timedelta(minutes=1)


def only_rule(kind: AlarmKind, **changes: Any) -> AlarmRule:
    """Leave one shipped rule enabled, changed as told, and return it."""
    ensure_shipped_rules()
    AlarmRule.objects.exclude(kind=kind).update(enabled=False)
    AlarmRule.objects.filter(kind=kind).update(**changes)
    return AlarmRule.objects.get(kind=kind)


def heat(scene: Scene, degrees: int, at: datetime, *, card: int = 0) -> None:
    """Let the node report the temperature of a card."""
    cards = Accelerator.objects.filter(node=scene.nodes[0], index=card)
    cards.update(temperature_c=degrees, sampled_at=at)


def evaluate_at(moment: datetime) -> int:
    """Hold the rules against the facts of a moment."""
    with freeze(moment):
        return evaluate_alarms()


def states() -> dict[str, str]:
    """Return where every alarm is, by its subject."""
    return dict(Alarm.objects.order_by("id").values_list("subject_name", "state"))


def threshold_of(kind: AlarmKind) -> int:
    """Return the threshold that is shipped."""
    return KINDS[kind].threshold


def running(scene: Scene, *, kind: str = "training", gpus: int = 1, **columns: object) -> Workload:
    """Save work that runs on the first card."""
    work = scene.work(gpus=gpus, kind=kind)
    scene.place(work, scene.placement(cards=tuple(range(gpus))))
    Workload.objects.filter(pk=work.pk).update(state="starting")
    Workload.objects.filter(pk=work.pk).update(
        **{"state": "running", "started_at": NOON - timedelta(hours=1), **columns}
    )
    work.refresh_from_db()
    return work


def sample(work: Workload, pct: int) -> None:
    """Save a sample of its use of GPUs at noon."""
    with freeze(NOON):
        maintain_partitions()
    held = Allocation.objects.get(workload=work)
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO telemetry_work_raw (series, at, last_at, gpu_utilisation_pct)"
            " VALUES (%s, %s, %s, %s)",
            [held.pk, NOON, NOON, pct],
        )


def faulty_card(scene: Scene) -> str:
    """Let the second card be suspected; return how its alarm calls it."""
    Accelerator.objects.filter(node=scene.nodes[0], index=1).update(state="suspect", fault="xid_79")
    return f"{scene.nodes[0].name} #1"
