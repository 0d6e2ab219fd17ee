"""Removes everything that was simulated in a demo, and has the meter forget it."""

from datetime import datetime
from typing import Final

from django.db import transaction

from portal.alarms.simulated import delete_past_alarms
from portal.audit import services as audit
from portal.common.actions import Action
from portal.common.actor import Actor
from portal.common.clock import now
from portal.common.errors import NotFoundError
from portal.common.notifications import start_task
from portal.common.site_config import get_site_config
from portal.demo import state
from portal.demo.examples import MAINTENANCE_NODE
from portal.inventory.simulated import delete_node_that_is_off
from portal.metering.services import forget_past
from portal.notices.simulated import delete_past_notices
from portal.telemetry.past_samples import delete_past_samples
from portal.tenancy import policies
from portal.workloads.models import Workload
from portal.workloads.simulated.removal import cancel_live, delete_ended

TASK: Final = "demo.finish_removal"
DEMO: Final = "demo"
REMOVER: Final = Actor.system("demo")


@transaction.atomic
def request_removal(*, actor: Actor) -> None:
    """End the simulated activity, and have all that was simulated removed in the background.

    Raises:
        NotFoundError: nothing is simulated here.
    """
    policies.require(actor, Action.SITE_MANAGE, None)
    row = state.lock_state()
    if row.past_from is None and not Workload.objects.filter(simulated=True).exists():
        raise NotFoundError(DEMO)
    if row.removed_at is None:
        state.note_removal(now())
        audit.record_event(actor=actor, action="demo.remove", object_type=DEMO)
    start_task(TASK)


def finish_removal() -> bool:
    """Continue a removal that was requested; return whether there was anything to do."""
    row = state.get_state_for_system()
    is_left = row.past_from is not None or Workload.objects.filter(simulated=True).exists()
    if row.removed_at is None or not is_left:
        return False
    if remove_simulated(row.seeded_at or row.removed_at):
        state.note_gone()
    return True


def remove_simulated(until: datetime) -> bool:
    """Cancel what still runs and delete what has ended; return whether nothing is left.

    `until` is when the simulated past ended: samples of before it go as well.
    """
    live = cancel_live(REMOVER)
    attempts = delete_ended(get_site_config().storage_dir)
    delete_past_samples(until, attempts)
    delete_past_alarms(until)
    delete_past_notices(until)
    delete_node_that_is_off(MAINTENANCE_NODE)
    forget_past(until)
    return not live
