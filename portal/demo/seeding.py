"""Writes the simulated past of a demo, once: the work of its people on the cards that have joined."""

from datetime import datetime, timedelta
from typing import Final

from portal.catalog.models import Image
from portal.common.clock import now
from portal.common.errors import ConflictError
from portal.common.site_config import get_site_config
from portal.demo import organisation, state
from portal.demo.past.placer import make_past
from portal.demo.past.plan import Lab, LabCard
from portal.demo.past_logs import write_past_logs
from portal.demo.past_rows import PastWriter, Roster
from portal.demo.removal import remove_simulated
from portal.identity.models import User
from portal.inventory.models import Accelerator, Pool
from portal.metering.services import add_past
from portal.site.selectors import settings_for_system
from portal.telemetry.past_samples import write_past_samples
from portal.tenancy.models import Group
from portal.workloads.models import Workload
from portal.workloads.simulated.past import write_past
from scheduler.core.model.states import AcceleratorState

DAYS: Final = 35


def seed_past(seed: int = 1) -> bool:
    """Write the past of the lab, up to now; return whether that was done.

    It is written once, and only where there is no work of anybody. A run that was interrupted is begun
    again.

    Raises:
        ConflictError: this installation is no demo.
    """
    if not get_site_config().is_demo:
        raise ConflictError("not_a_demo")
    known = state.get_state_for_system()
    has_work = Workload.objects.filter(simulated=False).exists()
    cards = _cards()
    if known.seeded_at or known.removed_at or has_work or not cards:
        return False
    if Workload.objects.exists():
        remove_simulated(now())
    until = now()
    days = settings_for_system().days
    first_day = days.day_of(until) - timedelta(days=DAYS)
    since = days.midnight(first_day)
    lab = _lab(cards, since, until, first_day.weekday() * 24 * 60, seed)
    writer = PastWriter(lab, since, _roster(cards))
    past = make_past(lab)
    rows, uses = writer.rows_of(past)
    write_past(rows)
    write_past_samples(uses, since, until)
    add_past(since, {card.pool_id for card in cards})
    write_past_logs(past, writer.keys, since, get_site_config().storage_dir)
    state.note_past(since, until)
    return True


def _cards() -> list[Accelerator]:
    rows = Accelerator.objects.select_related("node", "pool").filter(
        state=AcceleratorState.OK, pool__name__in=(organisation.DEVELOPMENT, organisation.TRAINING)
    )
    return list(rows.order_by("node__name", "index"))


def _lab(
    cards: list[Accelerator], since: datetime, until: datetime, first_minute: int, seed: int
) -> Lab:
    return Lab(
        cards=[LabCard(card.node.name, card.slices) for card in cards],
        people=[(name, team.name) for team in organisation.TEAMS for name in team.people],
        length_s=int((until - since).total_seconds()),
        first_minute=first_minute,
        ceiling=min(organisation.BORROWING_GPUS, len(cards) * 3 // 4),
        seed=seed,
    )


def _roster(cards: list[Accelerator]) -> Roster:
    pools = {pool.name: pool for pool in Pool.objects.all()}
    images = {image.name: image for image in Image.objects.all()}
    return Roster(
        users=dict(User.objects.values_list("username", "pk")),
        groups=dict(Group.objects.values_list("name", "pk")),
        cards=cards,
        notebooks=pools[organisation.DEVELOPMENT],
        jobs=pools[organisation.TRAINING],
        notebook_image=images[organisation.APP_IMAGE],
        job_images=[images["python"], images[organisation.APP_IMAGE]],
    )
