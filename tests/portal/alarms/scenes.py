"""What alarms are about, in tests: a cluster with one node, work in it, rules of one kind."""

from datetime import UTC, datetime, timedelta
from typing import Any

from portal.alarms.evaluation import evaluate_alarms
from portal.alarms.kinds import KINDS, AlarmKind
from portal.alarms.models import Alarm, AlarmRule
from portal.alarms.shipped import ensure_shipped_rules
from portal.common.clock import freeze
from portal.inventory.models import Accelerator
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
