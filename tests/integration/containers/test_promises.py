"""What the scheduler promises, followed into real containers: who leaves, who stays, who comes back.

PostgreSQL, the portal's own API, sweep and scheduler, the node link on a real socket, agents as
processes, and Docker containers with simulated cards.
"""

from datetime import timedelta

import pytest

from portal.common.clock import now
from portal.reservations.models import ReservedDevice
from portal.workloads.models import Workload
from tests.builders.people import a_group, a_member, a_user
from tests.builders.scenes import assert_sound
from tests.integration.containers.conftest import HASTE
from tests.integration.containers.promises import (
    NS_PER_S,
    Job,
    SiteOfPromises,
    cards_of,
    eventually,
)
from tests.rest import API, browser, json_of

pytestmark = [pytest.mark.docker]

GRACE_S = HASTE["grace_s"]
WRITE_TASK = 'echo "$BERTH_ARRAY_INDEX of $BERTH_ARRAY_SIZE" > "$BERTH_OUTPUT_DIR/task"; sleep 0.5'


def assert_only_these_left(site: SiteOfPromises, jobs: list[Job], left: list[Job]) -> None:
    """Check that the others kept their one container, and that those came back with a second one."""
    for job in jobs:
        epochs = [life.epoch for life in site.lives(job)]
        assert epochs == ([1, 2] if job in left else [1]), job.name
        assert site.lives(job)[-1].ended is None
        assert job.row.evictions == int(job in left)


def test_a_group_takes_back_what_it_deserves_and_no_more(site: SiteOfPromises) -> None:
    """Five of five GPUs are held by a group that deserves two; the other deserves three, and asks for two."""
    site.home.agent(0, cards=5)
    borrower, owner = site.home.group, a_group()
    site.deserves(borrower, 2)
    site.deserves(owner, 3)
    fillers = [site.submit(site.home.owner, borrower, f"filler-{n}") for n in range(5)]
    site.wait_for(fillers)

    user = a_member(owner)
    claims = [site.submit(user, owner, f"claim-{n}", preemptible=False) for n in range(2)]
    site.wait_for(claims)
    left = [job for job in fillers if job.row.evictions]
    assert [job.row.state for job in left] == ["queued", "queued"]
    living = site.living()
    assert set(living) == {job.name for job in [*fillers, *claims] if job not in left}
    assert len(set(living.values())) == 5
    for job in left:
        assert job.row.cause == "reclaimed"
        site.assert_left_by_notice(job, "reclaimed", GRACE_S)

    for claim in claims:
        claim.act("cancel")
    site.wait_for(fillers)
    assert_only_these_left(site, fillers, left)
    assert {site.variables(job, epoch=2)["BERTH_EPOCH"] for job in left} == {"2"}
    site.assert_each_card_has_one()
    assert_sound()


def test_higher_priority_of_a_group_goes_before_lower(site: SiteOfPromises) -> None:
    """The group's own work of low priority leaves, as much as is needed; another group's does not."""
    site.home.agent(0, cards=4)
    group, other = site.home.group, a_group()
    head = a_member(group, role="group_admin")
    beside = site.submit(a_member(other), other, "beside", priority="low")
    low = [site.submit(head, group, f"low-{n}", priority="low") for n in range(3)]
    site.wait_for([beside, *low])

    urgent = site.submit(head, group, "urgent", priority="high", gpus=2, preemptible=False)
    site.wait_for([urgent])
    left = [job for job in low if job.row.evictions]
    assert len(left) == 2
    assert len(site.living()["urgent"].split(",")) == 2
    for job in left:
        site.assert_left_by_notice(job, "preempted", GRACE_S)

    urgent.act("cancel")
    site.wait_for([beside, *low])
    assert_only_these_left(site, [beside, *low], left)
    site.assert_each_card_has_one()
    assert_sound()


def test_lent_cards_come_back_when_their_pool_needs_them(site: SiteOfPromises) -> None:
    """Two jobs of a full pool run on another's cards, until that has work of its own for one of them."""
    lending = {"to_pools": [site.pool.name], "bound_s": 60}
    site.lender.pool.policy = HASTE | {"lending": lending}
    site.lender.pool.save()
    at_home = site.home.agent(0, cards=1)
    lent = site.lender.agent(0, cards=2)
    group = site.home.group
    jobs = [site.submit(site.home.owner, group, f"train-{n}") for n in range(3)]
    site.wait_for(jobs)
    (own,) = cards_of(at_home)
    borrowers = [job for job in jobs if site.living()[job.name] != own]
    assert {site.living()[job.name] for job in borrowers} == cards_of(lent)

    native = site.submit(
        site.home.owner, group, "native", pool=site.lender.pool.name, preemptible=False
    )
    site.wait_for([native])
    left = [job for job in jobs if job.row.evictions]
    assert len(left) == 1
    assert left[0] in borrowers
    site.assert_left_by_notice(left[0], left[0].row.cause, GRACE_S)
    assert site.living()["native"] in cards_of(lent)

    native.act("cancel")
    site.wait_for(jobs)
    assert_only_these_left(site, jobs, left)
    assert set(site.living().values()) == {own, *cards_of(lent)}
    site.assert_each_card_has_one()
    assert_sound()


def test_arrays_dependencies_holds_and_begin_times(site: SiteOfPromises) -> None:
    """Each task once and two at a time, then what depends on them; nothing starts before it may."""
    site.home.agent(0, cards=3)
    owner, group = site.home.owner, site.home.group
    client = browser(owner)
    body = site.body(group, "sweep", command=["sh", "-c", WRITE_TASK], array="3-6%2")
    array = json_of(client.post(f"{API}/job-arrays", body, format="json"), 202)
    after = site.submit(
        owner, group, "after", dependencies=[{"type": "after_ok", "id": array["id"]}]
    )
    begins = now() + timedelta(seconds=6)
    later = site.submit(owner, group, "later", not_before=begins.isoformat())
    held = site.submit(owner, group, "held", held=True)
    site.wait_for([after])

    rows = Workload.objects.filter(array=array["id"]).order_by("array_index")
    tasks = [Job(str(row.pk), "sweep", client) for row in rows]
    assert [site.output(task, "task") for task in tasks] == [f"{n} of 4\n" for n in range(3, 7)]
    lives = [site.lives(task) for task in tasks]
    assert [len(each) for each in lives] == [1] * 4
    spans = sorted((life.began, life.ended) for (life,) in lives)
    ends = [end for _, end in spans if end is not None]
    assert all(
        sum(end > began for end in ends[:place]) < 2 for place, (began, _) in enumerate(spans)
    )
    assert site.lives(after)[0].began >= max(ends)

    site.wait_for([later])
    assert site.lives(later)[0].began / NS_PER_S >= begins.timestamp()
    assert (held.row.state, site.lives(held)) == ("queued", [])
    held.act("release")
    site.wait_for([held])
    assert site.variables(held)["BERTH_NAME"] == "held"
    site.assert_each_card_has_one()
    assert_sound()


def test_an_advance_reservation_gives_its_very_devices(site: SiteOfPromises) -> None:
    """Others run beside it only; its group's work is in a container with the reserved card."""
    agent = site.home.agent(0, cards=2)
    group, other = site.home.group, a_group()
    admin = browser(a_user(role="operator"))
    window = {"starts_at": now(), "ends_at": now() + timedelta(minutes=10)}
    asked = {
        "name": "course",
        "group": str(group.pk),
        "pool": str(site.pool.pk),
        "gpus": 1,
        **{name: at.isoformat() for name, at in window.items()},
    }
    made = json_of(admin.post(f"{API}/reservations", asked, format="json"), 201)
    kept = ReservedDevice.objects.get(window__reservation=made["id"]).accelerator.uuid
    stranger = a_member(other)
    beside = [
        site.submit(stranger, other, f"other-{n}", preemptible=False, time_limit_s=86400)
        for n in range(2)
    ]
    eventually(lambda: {job.row.state for job in beside} == {"queued", "running"})
    pupil = site.submit(site.home.owner, group, "pupil", preemptible=False, time_limit_s=300)
    site.wait_for([pupil])

    (runs,) = [job for job in beside if job.row.state == "running"]
    living = site.living()
    assert living == {"pupil": kept, runs.name: (cards_of(agent) - {kept}).pop()}
    assert site.variables(pupil)["CUDA_VISIBLE_DEVICES"] == kept
    assert pupil.row.must_end_at is not None

    # Cancelled, it binds nobody: who is inside stays until its own limit, and others may follow.
    assert admin.delete(f"{API}/reservations/{made['id']}").status_code == 204
    assert [job.row.must_end_at for job in (pupil,)] == [None]
    pupil.act("cancel")
    site.wait_for(beside)
    site.assert_each_card_has_one()
    assert_sound()
