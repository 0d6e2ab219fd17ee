"""Rounds of the activity on real rows: through admission, as people, marked, and only when switched on."""

from collections.abc import Callable
from datetime import timedelta
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command

from portal.audit.models import AuditEvent
from portal.common.clock import now
from portal.common.site_config import get_site_config
from portal.common.work_kinds import JOB
from portal.config.celery import app
from portal.demo import state
from portal.demo.activity.acting import LOAD_VARIABLE, carry_out
from portal.demo.activity.plan import ARRIVALS_MAX, OPENING_MAX
from portal.demo.activity.reading import read_world
from portal.demo.activity.rounds import run_round, tidy_up
from portal.demo.activity.world import (
    Amount,
    End,
    JobDraft,
    NotebookDraft,
    Open,
    ReleaseHold,
    Step,
    Submit,
)
from portal.demo.organisation import DEVELOPMENT, SHARES, TRAINING
from portal.demo.services import seed_organisation
from portal.identity.models import User
from portal.inventory.models import Node, Pool
from portal.jobs import services as jobs
from portal.tenancy.models import Group
from portal.workloads.models import Dependency, JobArray, Workload
from portal.workloads.submission.admission import Submission
from scheduler.core.model.entities import Request
from scheduler.core.model.states import TERMINAL, WorkloadState
from scheduler.runtime.loop import run_once
from tests.builders.machines import a_node
from tests.builders.people import an_actor
from tests.builders.workloads import a_workload

pytestmark = pytest.mark.django_db


@pytest.fixture
def demo(set_site: Callable[..., None]) -> None:
    """The seeded organisation with its nodes, and the activity switched on."""
    set_site(is_demo=True)
    seed_organisation("a-long-password-for-tests", has_shares=True)
    for pool in (DEVELOPMENT, TRAINING):
        for number in (1, 2):
            a_node(Pool.objects.get(name=pool), f"{pool}-{number}")
    a_node(Pool.objects.get(name=SHARES), "share-1", cards=4)
    state.set_activity(is_on=True)


def some_rounds(count: int) -> int:
    """Run rounds that draw differently, each with a scheduling pass; return how many steps they took."""
    done = 0
    for seed in range(count):
        done += run_round(seed)
        run_once()
    return done


def draft(**changed: Any) -> JobDraft:
    values: dict[str, Any] = {
        "owner": "xu.na",
        "group": "language",
        "name": "bert",
        "gpus": 1,
        "script": "sleep 1",
        "load": "use=50 memory=1000",
        "time_limit_s": 600,
    }
    return JobDraft(**values | changed)


def test_people_submit_their_own_marked_work(demo: None) -> None:
    done = run_round()
    assert ARRIVALS_MAX < done <= OPENING_MAX
    made = Workload.objects.select_related("owner", "group")
    assert made.count() >= done
    assert all(item.simulated for item in made)
    assert all(LOAD_VARIABLE in item.spec["env"] for item in made)
    for item in made:
        assert item.owner.kind == "person"
        assert item.group_id in an_actor(item.owner).roles
    submitted = AuditEvent.objects.filter(action__in=["workload.submit", "job_array.submit"])
    assert {event.actor_name for event in submitted} == {item.owner.username for item in made}


def test_a_newcomer_starts_at_once_beside_it(demo: None) -> None:
    some_rounds(16)
    busy = Workload.objects.filter(simulated=True, state=WorkloadState.PLACING)
    assert busy.filter(kind=JOB.kind).count() >= 2  # at night people train less
    newcomer = User.objects.get(username="song.yu")
    job = jobs.submit_job(
        actor=an_actor(newcomer),
        submission=Submission(
            kind=JOB.kind,
            group="speech",
            name="first",
            image="python",
            request=Request(gpus=1, cpu_milli=4000, memory_mib=8192),
            spec={"script": "true"},
        ),
    )
    run_once()
    job.refresh_from_db()
    assert job.state == WorkloadState.PLACING
    assert not job.simulated


def test_drafts_become_what_they_say(demo: None) -> None:
    first = Submit(draft())
    assert carry_out([first]) == 1
    before = Workload.objects.get()
    steps: list[Step] = [
        Submit(draft(name="held", is_held=True)),
        Submit(draft(name="later", begins_in_s=600)),
        Submit(draft(name="after", after=str(before.pk))),
        Submit(draft(name="sweep", tasks=4, running_max=2)),
        Submit(draft(name="gang", gpus=2, replicas=2, priority=100)),
        Open(NotebookDraft("hu.xin", "language", "on slices", "use=0 memory=1", slices=2)),
        Open(
            NotebookDraft(
                "hu.xin", "language", "on a share", "use=0 memory=1", 0, 200, gpu_memory_mib=8192
            )
        ),
    ]
    assert carry_out(steps) == len(steps)
    assert Workload.objects.filter(simulated=False).count() == 0
    assert JobArray.objects.get().running_max == 2
    world = {item.id: item for item in read_world().work}
    named = {row.name: world[str(row.pk)] for row in Workload.objects.filter(array=None)}
    assert named["held"].is_held
    assert named["later"].has_begin
    assert named["after"].depends
    assert named["gang"].amount == Amount(4000, 24_000)
    assert named["gang"].priority == 100
    assert (named["on slices"].amount, named["on slices"].slices) == (Amount(250, 1000), 2)
    assert (named["on a share"].pool, named["on a share"].amount.gpu_milli) == (SHARES, 200)
    tasks = [item for item in world.values() if item.array]
    assert [item.running_max for item in tasks] == [2] * 4

    assert carry_out([ReleaseHold(named["held"]), End(named["gang"])]) == 2
    assert Workload.objects.get(name="held").held_by == ""
    assert Workload.objects.get(name="gang").state == WorkloadState.CANCELLED


def test_a_refused_step_leaves_the_others_alone(demo: None) -> None:
    refused = Submit(draft(group="vision"))  # not a group of its owner
    assert carry_out([refused, Submit(draft(name="good"))]) == 1
    assert Workload.objects.get().name == "good"


def test_the_world_is_what_is_free_and_held(demo: None) -> None:
    room = read_world().room
    assert (room.training_free, room.training_largest, room.lendable) == (16, 8, 16)
    assert (room.slices_free, room.share_milli_free) == (128, 4000)
    carry_out(
        [
            Submit(draft(gpus=2)),
            Open(NotebookDraft("hu.xin", "language", "n", "use=0 memory=1", slices=3)),
            Open(NotebookDraft("hu.xin", "language", "s", "use=0 memory=1", 0, 250, 4096)),
        ]
    )
    jobs.submit_job(
        actor=an_actor(User.objects.get(username="li.wei")),
        submission=Submission(
            kind=JOB.kind,
            group="vision",
            name="of a person",
            image="python",
            request=Request(gpus=1, cpu_milli=1000, memory_mib=1024),
            spec={"script": "true"},
        ),
    )
    assert read_world().are_others_waiting
    run_once()
    world = read_world()
    assert not world.are_others_waiting
    assert (world.room.training_free, world.room.lendable) == (13, 15)
    assert (world.room.slices_free, world.room.share_milli_free) == (125, 3750)
    assert dict(world.used_by_others) == {"vision": Amount(1000, 1000)}
    Node.objects.filter(pool__name=TRAINING).update(state="unready")
    assert read_world().room.training_free == 0


@pytest.mark.parametrize("is_demo", [True, False])
def test_only_a_demo_that_is_switched_on_acts(
    demo: None, set_site: Callable[..., None], is_demo: bool
) -> None:
    set_site(is_demo=is_demo)
    state.set_activity(is_on=not is_demo)
    assert some_rounds(4) == 0
    assert not Workload.objects.exists()


def test_switched_off_it_ends_its_own_work_and_nobody_elses(demo: None) -> None:
    person = User.objects.get(username="sun.hao")
    group, pool = Group.objects.get(name="language"), Pool.objects.get(name=TRAINING)
    own = a_workload(person, group, pool, state="queued", gpus=1, held_by="user")
    some_rounds(6)
    state.set_activity(is_on=False)
    some_rounds(6)
    ended = [WorkloadState.STOPPING, *TERMINAL]
    assert Workload.objects.filter(simulated=True).count() >= 6
    assert not Workload.objects.filter(simulated=True).exclude(state__in=ended).exists()
    own.refresh_from_db()
    assert own.state == WorkloadState.QUEUED


@pytest.mark.django_db(transaction=True)
def test_what_has_ended_days_ago_goes_and_the_seeded_past_stays(
    demo: None, set_site: Callable[..., None], tmp_path: Path
) -> None:
    set_site(storage_dir=tmp_path)
    first = draft(name="first")
    carry_out([Submit(first)])
    before = Workload.objects.get()
    carry_out([Submit(draft(name="after", after=str(before.pk))), Submit(draft(name="fresh"))])
    carry_out([Submit(draft(name="sweep", tasks=3, running_max=1))])
    carry_out([End(item) for item in read_world().work])
    old = Workload.objects.exclude(name="fresh")
    old.update(submitted_at=now() - timedelta(days=4), finished_at=now() - timedelta(days=3))
    folder = tmp_path / "logs" / str(before.pk)
    folder.mkdir(parents=True)

    assert tidy_up() == 0
    state.note_past(now() - timedelta(days=40), now() - timedelta(days=3))
    assert tidy_up() == 0  # all of it is of the past
    state.note_past(now() - timedelta(days=40), now() - timedelta(days=5))
    assert tidy_up() == 5
    assert [item.name for item in Workload.objects.all()] == ["fresh"]
    assert not JobArray.objects.exists()
    assert not Dependency.objects.exists()
    assert not folder.exists()


def test_the_first_past_begins_the_activity(tmp_path: Path, set_site: Callable[..., None]) -> None:
    set_site(is_demo=True, storage_dir=tmp_path)
    seed_organisation("a-long-password-for-tests")
    a_node(Pool.objects.get(name=TRAINING), "training-1")
    a_node(Pool.objects.get(name=DEVELOPMENT), "development-1")
    assert not state.get_state_for_system().activity
    call_command("seed_past", stdout=StringIO())
    assert state.get_state_for_system().activity
    state.set_activity(is_on=False)
    call_command("seed_past", stdout=StringIO())
    assert not state.get_state_for_system().activity


def test_an_installation_that_is_no_demo_has_neither_image_nor_rounds() -> None:
    seed_organisation("a-long-password-for-tests")
    assert not state.get_state_for_system().activity
    assert not Pool.objects.filter(name=SHARES).exists()
    assert not get_site_config().is_demo
    assert "simulate activity" not in app.conf.beat_schedule
