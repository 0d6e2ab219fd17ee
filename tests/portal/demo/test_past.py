"""The seeded past on real PostgreSQL: what the pages say of it, and that it goes without a trace."""

from collections import Counter
from collections.abc import Iterator
from datetime import timedelta
from io import StringIO
from pathlib import Path

import pytest
from django.apps import apps
from django.core.management import CommandError, call_command
from django.db import connection
from django.db.models import Sum

from portal.common.clock import now
from portal.common.work_kinds import JOB
from portal.demo import removal, state
from portal.demo.models import DemoState
from portal.demo.seeding import seed_past
from portal.identity.models import Notice, User
from portal.inventory.models import Pool
from portal.metering.models import CapacityDay, UsageDay
from portal.metering.services import update_usage
from portal.site.selectors import settings_for_system
from portal.telemetry.tables import KINDS
from portal.training_metrics.models import MetricSeries
from portal.workloads.models import (
    Allocation,
    AllocationDevice,
    DailyGpuUse,
    DecayedGpuUse,
    NoticedEvents,
    Workload,
    WorkloadEvent,
)
from portal.workloads.owner_notices import notify_owners
from scheduler.core.model.states import TERMINAL
from scheduler.runtime.audit import audit_database
from tests.builders.machines import a_node
from tests.rest import browser, json_of, problem_of
from tests.site_config import override_site_config

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("redis_url")]

GPU_HOUR = 1000 * 3_600_000


@pytest.fixture
def lab(tmp_path: Path) -> Iterator[None]:
    """The demo's organisation with a node of each pool, as `make run` has it before the past."""
    with override_site_config(is_demo=True, storage_dir=tmp_path / "storage"):
        call_command("seed_demo", output=tmp_path / "demo.json", stdout=StringIO())
        a_node(Pool.objects.get(name="development"), "gpu-dev-1")
        a_node(Pool.objects.get(name="training"), "gpu-train-1")
        update_usage()
        notify_owners()
        yield


def counts() -> dict[str, int]:
    """Return how many rows each table has but those that say what was done."""
    told = {"audit_auditevent", "demo_demostate", "django_session", "common_cache"}
    tables = {model._meta.db_table for model in apps.get_models()} - told
    tables |= {kind.table_name(resolution) for kind in KINDS for resolution in kind.resolutions}
    with connection.cursor() as cursor:
        found = {}
        for table in sorted(tables):
            cursor.execute(f'SELECT count(*) FROM "{table}"')
            found[table] = cursor.fetchone()[0]
    return found


def test_without_the_switch_of_a_demo_nothing_is_seeded() -> None:
    with pytest.raises(CommandError, match="not_a_demo"):
        call_command("seed_past", stdout=StringIO())

    assert not Workload.objects.exists()


@pytest.mark.usefixtures("lab")
def test_the_past_is_that_of_a_busy_lab_and_leaves_no_trace(tmp_path: Path) -> None:
    before = counts()
    assert seed_past()

    _require_ended_work()
    _require_use_as_in_the_story()
    _require_nobody_is_told()
    assert not audit_database()
    assert MetricSeries.objects.filter(name="train/loss").count() > 20
    assert len(list((tmp_path / "storage" / "logs").iterdir())) > 50
    again = Workload.objects.count()
    assert not seed_past()
    assert Workload.objects.count() == again

    admin = browser(User.objects.get(username="admin"))
    told = json_of(admin.get("/api/v1/demo"))
    assert told["past_from"] is not None
    assert told["activity"] is False
    assert admin.delete("/api/v1/demo").status_code == 202
    removal.finish_removal()

    assert counts() == before
    assert not list((tmp_path / "storage" / "logs").iterdir())
    assert json_of(admin.get("/api/v1/demo"))["past_from"] is None
    assert not removal.finish_removal()
    assert not seed_past()
    problem_of(admin.delete("/api/v1/demo"), 404, "not_found")


def _require_ended_work() -> None:
    work = Workload.objects.all()
    assert work.filter(simulated=True).count() == work.count() > 700
    assert set(work.values_list("state", flat=True)) <= {state.value for state in TERMINAL}
    assert not work.filter(finished_at__gt=now()).exists()
    assert {"succeeded", "failed", "cancelled", "expired"} == set(
        work.filter(kind=JOB.kind).values_list("state", flat=True)
    )
    held = Allocation.objects.all()
    assert not held.exclude(state="released").exists()
    assert not AllocationDevice.objects.filter(released_at=None).exists()
    assert held.filter(rank=0).count() > work.filter(kind=JOB.kind).count()
    order = WorkloadEvent.objects.order_by("id").values_list("at", flat=True)
    assert list(order) == sorted(order)


def _require_use_as_in_the_story() -> None:
    days = settings_for_system().days
    whole = [days.day_of(now()) - timedelta(days=number) for number in range(1, 35)]
    sums = UsageDay.objects.filter(day__in=whole).aggregate(
        held=Sum("gpu_milli_ms"), busy=Sum("busy_milli_ms"), sampled=Sum("sampled_milli_ms"),
        energy=Sum("energy_mj"),
    )  # fmt: skip
    capacity = CapacityDay.objects.filter(day__in=whole).aggregate(sum=Sum("gpu_ms"))["sum"]
    assert capacity == 16 * len(whole) * 24 * 3_600_000
    assert 20 <= sums["held"] / GPU_HOUR / 16 / len(whole) <= 24
    assert sums["busy"] / sums["sampled"] >= 0.7
    assert sums["sampled"] / sums["held"] > 0.95
    assert sums["energy"] > 0
    outcomes = Counter(dict(UsageDay.objects.values_list("outcome").annotate(Sum("gpu_milli_ms"))))
    assert {"completed", "stopped", "failed", "preempted"} <= outcomes.keys()
    assert DailyGpuUse.objects.exists()
    members = User.objects.filter(pk__in=DecayedGpuUse.objects.values("user")).count()
    assert members > 40


def _require_nobody_is_told() -> None:
    newest = WorkloadEvent.objects.order_by("-id").values_list("id", flat=True)[0]
    assert NoticedEvents.objects.get().until == newest
    assert notify_owners() == 0
    assert not Notice.objects.exists()


@pytest.mark.usefixtures("lab")
def test_an_interrupted_seeding_is_begun_again() -> None:
    assert seed_past()
    DemoState.objects.all().delete()

    assert seed_past()

    assert state.get_state_for_system().seeded_at is not None
    assert Workload.objects.filter(name__startswith="resnet50").exists()


@pytest.mark.usefixtures("lab")
def test_only_administrators_change_what_is_simulated() -> None:
    member = browser(User.objects.get(username="li.wei"))
    state.note_past(now() - timedelta(days=35), now())

    assert json_of(member.get("/api/v1/demo"))["activity"] is False
    problem_of(member.delete("/api/v1/demo"), 403, "denied")
    problem_of(member.patch("/api/v1/demo", {"activity": True}, format="json"), 403, "denied")
    admin = browser(User.objects.get(username="admin"))
    assert (
        json_of(admin.patch("/api/v1/demo", {"activity": True}, format="json"))["activity"] is True
    )
    assert state.get_state_for_system().activity

    with override_site_config(is_demo=False):
        problem_of(
            admin.patch("/api/v1/demo", {"activity": True}, format="json"), 409, "not_a_demo"
        )
