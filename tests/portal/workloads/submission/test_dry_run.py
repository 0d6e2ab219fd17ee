"""The dry run over what the database says."""

import pytest

from portal.quotas.models import GroupLimit
from portal.workloads.responses.dry_runs import present_dry_run
from portal.workloads.submission.dry_run import run_dry
from portal.workloads.submission.refusals import find_refusals
from scheduler.core.dry_run import DryRunOutcome
from scheduler.core.model.reasons import ReasonCode
from tests.builders.people import an_actor
from tests.builders.scenes import a_quota, a_scene
from tests.builders.workloads import an_allocation

pytestmark = pytest.mark.django_db


def test_room_now_means_it_starts_now() -> None:
    scene = a_scene(cards=2)

    assert run_dry(scene.pending(gpus=2), "training").result.outcome is DryRunOutcome.STARTS_NOW


def test_it_names_the_cards_that_the_scheduler_takes() -> None:
    """The page says where it would start: that is the decision itself, not a guess."""
    scene = a_scene(cards=3)
    scene.place(scene.work(gpus=1), scene.placement(cards=(0,)))

    answer = run_dry(scene.pending(gpus=2), "training")
    shown = present_dry_run(answer, an_actor(scene.owner))

    (place,) = answer.result.placements
    cards = {str(card.pk): card.index for card in scene.nodes[0].accelerators.all()}
    assert sorted(cards[card] for card, _ in place.devices) == [1, 2]
    (where,) = shown["placement"]
    assert where["node"] == scene.nodes[0].name
    assert [(card["index"], card["slots"]) for card in where["cards"]] == [(1, [0]), (2, [0])]


def test_what_waits_has_no_place() -> None:
    scene = a_scene(cards=2)
    scene.work(gpus=2)

    answer = run_dry(scene.pending(gpus=2), "training")

    assert answer.result.placements == ()
    assert present_dry_run(answer, an_actor(scene.owner))["placement"] == []


def test_behind_equal_work_it_waits_with_position_and_reasons() -> None:
    scene = a_scene(cards=2)
    scene.work(gpus=1)
    scene.work(gpus=2)

    verdict = run_dry(scene.pending(gpus=2), "training").result

    assert (verdict.outcome, verdict.position) == (DryRunOutcome.WAITS, 2)
    assert [reason.code for reason in verdict.reasons] == [ReasonCode.INSUFFICIENT_NOW]


def test_more_than_any_node_has_is_refused() -> None:
    scene = a_scene(cards=2)

    verdict = run_dry(scene.pending(gpus=3), "training").result
    (reason,) = find_refusals(scene.pending(gpus=3))

    assert verdict.outcome is DryRunOutcome.REFUSED
    assert verdict.reasons == (reason,)
    assert reason.params == {"resource": "gpus", "requested": 3, "most": 2}


def test_more_than_the_quota_ever_allows_is_refused() -> None:
    scene = a_scene(cards=8)
    a_quota(scene.group, ceiling=6000)

    assert find_refusals(scene.pending(gpus=6)) == ()
    (reason,) = find_refusals(scene.pending(gpus=7))
    assert reason.code is ReasonCode.QUOTA_CEILING


def test_a_member_who_runs_as_much_as_allowed_would_wait() -> None:
    scene = a_scene(cards=8)
    GroupLimit.objects.create(group=scene.group, running_per_user_max=1)
    an_allocation(scene.work(state="running"), scene.nodes[0])

    verdict = run_dry(scene.pending(gpus=1), "training").result

    assert [reason.code for reason in verdict.reasons] == [ReasonCode.USER_COUNTER]
