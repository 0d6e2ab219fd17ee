"""Processes beside the platform that make it hard to keep its promises.

`schedule` plans and applies for ever without asking for the scheduler's lock, with a pause between
the two in which anything may happen. `meddle` edits quotas and drains nodes, and judges the database
after each of its acts; on SIGTERM it puts everything back and ends with 0 if nothing was broken.
"""

import random
import signal
import sys
import threading
from contextlib import suppress
from itertools import cycle
from typing import Final

import django

PLANNED: Final = "planned"
JUDGED: Final = "judged"
PAUSE_S: Final = 0.05
_ending = threading.Event()


def schedule() -> None:
    """Be one more scheduler."""
    from django.db import DatabaseError, connection  # noqa: PLC0415 - Django must be set up

    from portal.workloads.snapshot.loader import load_snapshot  # noqa: PLC0415
    from scheduler.core.cycle import run_cycle  # noqa: PLC0415
    from tests.plans import apply_plan  # noqa: PLC0415

    while not _ending.wait(PAUSE_S):
        try:
            snapshot = load_snapshot()
            plan = run_cycle(snapshot, snapshot.taken_at)
            _say(f"{PLANNED} {len(plan.starts)}")
            _ending.wait(random.uniform(0, PAUSE_S))
            apply_plan(plan, snapshot)
        except DatabaseError:  # a busy machine; as the product does, it looks again
            connection.close()


def meddle() -> int:
    """Change what may be changed while work is placed; return how many promises were broken."""
    from django.db.models import F, Value  # noqa: PLC0415 - Django must be set up
    from django.db.models.functions import Greatest  # noqa: PLC0415

    from portal.common.actor import Actor  # noqa: PLC0415
    from portal.common.errors import DomainError  # noqa: PLC0415
    from portal.inventory.models import Node  # noqa: PLC0415
    from portal.quotas.models import Quota  # noqa: PLC0415
    from portal.workloads.operations import nodes as node_operations  # noqa: PLC0415
    from scheduler.runtime.audit import audit_database  # noqa: PLC0415

    operator = Actor.system("test")
    nodes = list(Node.objects.order_by("name").values_list("pk", flat=True))
    quotas = Quota.objects.filter(resource="gpu", ceiling__isnull=False)
    before = dict(quotas.values_list("pk", "ceiling"))
    broken = 0

    def judge() -> int:
        found = audit_database()
        _say(f"{JUDGED} {found}")
        return len(found)

    for number, node in enumerate(cycle(nodes)):
        if _ending.wait(PAUSE_S):
            break
        # As low as the present use allows: less would be over without anybody's mistake.
        least = Greatest(F("used"), F("deserved"), Value(1000 * (number % 5)))
        for key in before:
            quotas.filter(pk=key).update(ceiling=least)
        broken += judge()
        with suppress(DomainError):  # a node that is not heard at the moment cannot be drained
            node_operations.drain_node(actor=operator, node_id=node)
            broken += judge()
            node_operations.uncordon_node(actor=operator, node_id=node)
    for key, ceiling in before.items():
        Quota.objects.filter(pk=key).update(ceiling=ceiling)
    return broken + judge()


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def main() -> int:
    """Run the part that is named."""
    signal.signal(signal.SIGTERM, lambda *_: _ending.set())
    django.setup()
    if sys.argv[1:] == ["meddle"]:
        return min(meddle(), 1)
    schedule()
    return 0


if __name__ == "__main__":
    sys.exit(main())
