"""Shares of any size, from the submission to what the node is told; and that no card is oversold."""

from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest
from django.db import IntegrityError, transaction

from portal.common.errors import DomainError
from portal.inventory.models import Accelerator, Pool
from portal.workloads.models import AllocationDevice, Workload
from portal.workloads.snapshot.loader import load_snapshot
from scheduler.core.cycle import run_cycle
from scheduler.core.model.plan import Plan
from scheduler.runtime.plan_applier import AppliedPlan
from tests.builders.at_once import at_once
from tests.builders.machines import an_image
from tests.builders.scenes import Scene, a_quota, a_scene, assert_sound
from tests.builders.scripted_node import finished
from tests.plans import apply_plan
from tests.rest import browser
from wire.words import Isolation

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("redis_url")]


def a_body(scene: Scene, **changes: object) -> dict[str, object]:
    image = an_image()
    body: dict[str, object] = {
        "name": "share",
        "group": scene.group.name,
        "pool": scene.pool.name,
        "image": image.name,
        "gpu_milli": 250,
        "gpu_memory_mib": 6000,
        "cpu_milli": 1000,
        "memory_mib": 1024,
    }
    return body | changes


def submit(scene: Scene, path: str = "environments", **changes: object) -> Any:
    client = browser(scene.owner)
    return client.post(f"/api/v1/{path}", a_body(scene, **changes), format="json")


def plan_of() -> tuple[Plan, Any]:
    snapshot = load_snapshot()
    return run_cycle(snapshot, snapshot.taken_at), snapshot


def run_pass() -> AppliedPlan:
    return apply_plan(*plan_of())


def code_of(act: Callable[[], object]) -> str:
    try:
        act()
    except DomainError as error:
        return error.code
    return "ok"


def with_rules(scene: Scene, **policy: object) -> None:
    Pool.objects.filter(pk=scene.pool.pk).update(policy=policy)


def test_share_travels_from_the_submission_to_the_node_and_back() -> None:
    scene = a_scene(cards=2, is_divided=True)
    with_rules(scene, burst_pct=200)
    gpu, memory = (a_quota(scene.group, name, ceiling=None) for name in ("gpu", "gpu_memory"))
    notebook = submit(scene)
    job = submit(scene, "jobs", gpu_memory_ceiling_mib=8000, command=["true"])
    answers = [notebook, job]
    assert [answer.status_code for answer in answers] == [202, 202], answers[0].json()
    assert (answers[0].json()["gpu_milli"], answers[0].json()["gpu_memory_mib"]) == (250, 6000)
    assert run_pass().placed == 2

    desired = scene.links[0].beat().containers
    devices = [device for item in desired for device in item.devices]
    card = Accelerator.objects.get(uuid=devices[0].uuid)
    assert {device.uuid for device in devices} == {card.uuid}, "shares keep together"
    assert [
        (item.slot, item.gpu_milli, item.memory_mib, item.ceiling_mib, item.compute_milli)
        for item in devices
    ] == [(0, 250, 6000, 12_000, 500), (1, 250, 6000, 8000, 500)]
    assert {device.isolation for device in devices} == {Isolation.TIMESLICE}
    shown = browser(scene.owner).get(f"/api/v1/jobs/{job.json()['id']}").json()
    [share] = shown["allocations"][0]["devices"]
    told = (share["gpu_milli"], share["memory_mib"], share["ceiling_mib"])
    assert told == (250, 6000, 8000), "the page says what the node was told"
    for quota, used in ((gpu, 500), (memory, 12_000)):
        quota.refresh_from_db()
        assert quota.used == used
    views = {view.id: view for view in load_snapshot().accelerators}
    view = views[str(card.pk)]  # type: ignore[index]
    assert (view.gpu_milli_taken, view.gpu_memory_taken_mib, view.taken_slots) == (
        500,
        12_000,
        frozenset(),
    )
    assert_sound()

    (held,) = scene.held(Workload.objects.order_by("id")[0])
    scene.links[0].beat(finished=[finished(held)])
    view = next(item for item in load_snapshot().accelerators if item.id == view.id)
    assert (view.gpu_milli_taken, view.gpu_memory_taken_mib) == (250, 6000)
    assert submit(scene, gpu_milli=100).status_code == 202
    run_pass()
    live = AllocationDevice.objects.filter(released_at=None).order_by("slot")
    assert list(live.values_list("slot", "gpu_milli")) == [(0, 100), (1, 250)]


def test_no_card_is_oversold_however_many_ask_at_once() -> None:
    scene = a_scene(cards=1, is_divided=True)
    works = [scene.work(gpu_milli=300, gpu_memory_mib=4096) for _ in range(12)]
    roomy = [scene.work(gpu_milli=20, gpu_memory_mib=12_000) for _ in range(6)]
    spot = scene.placement(cards=(0,))

    def place(number: int) -> str:
        return code_of(lambda: scene.place((works + roomy)[number], spot))

    outcomes = Counter(at_once(len(works) + len(roomy), place))

    assert outcomes.keys() == {"ok", "insufficient_now"}
    milli = sum(AllocationDevice.objects.values_list("gpu_milli", flat=True))
    mib = sum(AllocationDevice.objects.values_list("memory_mib", flat=True))
    assert milli <= 1000
    assert mib <= 32 * 1024
    assert milli > 1000 - 300 or mib > 32 * 1024 - 4096, "nothing that fitted was refused"
    assert_sound()


def test_ranks_of_a_gang_share_a_card_and_a_whole_card_is_nobody_elses() -> None:
    scene = a_scene(cards=2, is_divided=True)
    gang = scene.work(gpu_milli=400, gpu_memory_mib=1024, replicas=2)
    first = scene.placement(cards=(0,))
    assert len(scene.place(gang, first, first)) == 2
    assert code_of(lambda: scene.place(scene.work(gpus=1), first)) == "insufficient_now"
    whole = scene.work(gpus=1)
    scene.place(whole, scene.placement(cards=(1,)))
    share = scene.work(gpu_milli=1, gpu_memory_mib=1)
    refused = code_of(lambda: scene.place(share, scene.placement(cards=(1,))))
    assert refused == "insufficient_now"
    three = scene.work(gpu_milli=200, gpu_memory_mib=1024, replicas=2)
    assert code_of(lambda: scene.place(three, first, first)) == "insufficient_now"
    assert_sound()


@pytest.mark.parametrize(
    ("gpu_milli", "memory_mib"), [(601, 1), (1, 32 * 1024 - 1023), (0, 32 * 1024)]
)
def test_database_refuses_more_than_the_card_has(gpu_milli: int, memory_mib: int) -> None:
    scene = a_scene(cards=1, is_divided=True)
    (held,) = scene.place(
        scene.work(gpu_milli=400, gpu_memory_mib=1024), scene.placement(cards=(0,))
    )
    with (
        pytest.raises(IntegrityError, match=r"thousandths|device_one_live_holder"),
        transaction.atomic(),
    ):
        AllocationDevice.objects.create(
            allocation=held,
            accelerator=scene.nodes[0].accelerators.get(),
            slot=0 if gpu_milli == 0 else 7,
            gpu_milli=gpu_milli,
            memory_mib=memory_mib,
            claim_mode="shared",
        )


def test_share_is_never_taken_of_an_exclusive_or_sliced_card() -> None:
    for scene in (a_scene(cards=1), a_scene(cards=1, slices=4)):
        work = scene.work(gpu_milli=100, gpu_memory_mib=100)
        refused = code_of(lambda s=scene, w=work: s.place(w, s.placement(cards=(0,))))  # type: ignore[misc]
        assert refused == "insufficient_now"


REFUSED: list[tuple[dict[str, Any], str]] = [
    ({"gpu_memory_mib": 0}, "share_needs_both"),
    ({"gpu_milli": 0}, "share_needs_both"),
    ({"gpus": 1}, "gpus_or_slices"),
    ({"slices": 1}, "gpus_or_slices"),
    ({"gpu_memory_ceiling_mib": 6001}, "ceiling_out_of_range"),
    ({"gpu_memory_ceiling_mib": 5999}, "ceiling_out_of_range"),
    ({"gpu_memory_mib": 33 * 1024}, "never_fits"),
    ({"gpu_milli": 0, "gpu_memory_mib": 0, "gpu_memory_ceiling_mib": 1}, "ceiling_without_share"),
    ({"gpu_milli": 0, "gpu_memory_mib": 0, "mig_profile": "1g.10gb"}, "pool_has_no_profiles"),
    ({"gpu_milli": 0, "gpu_memory_mib": 0, "slices": 1}, "pool_gives_shares"),
]


@pytest.mark.parametrize(("change", "code"), REFUSED)
def test_shares_without_a_meaning_are_refused(change: dict[str, Any], code: str) -> None:
    answer = submit(a_scene(cards=1, is_divided=True), **change)
    assert (answer.status_code, answer.json()["code"]) == (422, code)
    assert not Workload.objects.exists()


def test_a_share_with_more_memory_than_a_card_is_refused_for_its_memory() -> None:
    scene = a_scene(cards=1, is_divided=True)

    refused = submit(scene, gpu_milli=990, gpu_memory_mib=48 * 1024).json()

    said = "Needs 48.0 GiB of GPU memory; this pool can give 32.0 GiB of GPU memory at most."
    assert refused["detail"].startswith(said)


def test_only_a_pool_that_divides_its_cards_gives_shares() -> None:
    for scene, code in (
        (a_scene(cards=1), "pool_gives_gpus"),
        (a_scene(cards=1, slices=4), "pool_gives_slices"),
    ):
        answers = [submit(scene), submit(scene, "jobs", command=["true"])]
        for answer in answers:
            assert (answer.status_code, answer.json()["code"]) == (422, code)
        asked = {**a_body(scene), "kind": "training"}
        del asked["name"]
        answer = browser(scene.owner).post("/api/v1/workloads/dry-run", asked, format="json")
        assert (answer.status_code, answer.json()["code"]) == (422, code)


def test_isolation_is_asked_again_at_commit() -> None:
    scene = a_scene(cards=1, is_divided=True)
    Accelerator.objects.update(is_simulated=False, isolation=["exclusive", "mps", "timeslice"])
    with_rules(scene, isolation="mps")
    work = scene.work(gpu_milli=100, gpu_memory_mib=100)
    plan = plan_of()
    assert [place.workload for place in plan[0].starts] == [str(work.pk)]

    with_rules(scene, isolation="cgroup")
    assert apply_plan(*plan).refused == {str(work.pk)}
    with_rules(scene, isolation="mps")
    Accelerator.objects.update(isolation=["exclusive", "timeslice"])
    assert apply_plan(*plan).refused == {str(work.pk)}
    refused = code_of(lambda: scene.place(work, scene.placement(cards=(0,))))
    assert refused == "isolation_unavailable"
    assert not AllocationDevice.objects.exists()

    Accelerator.objects.update(isolation=["exclusive", "mps"])
    assert apply_plan(*plan).placed == 1


def test_commits_that_race_with_a_card_that_loses_its_isolation_are_exact() -> None:
    scene = a_scene(cards=1, is_divided=True)
    card = scene.nodes[0].accelerators.get()
    Accelerator.objects.update(is_simulated=False, isolation=["exclusive", "cgroup"])
    with_rules(scene, isolation="cgroup")
    works = [scene.work(gpu_milli=50, gpu_memory_mib=64) for _ in range(8)]

    def act(number: int) -> str:
        if number == len(works):
            with transaction.atomic():
                row = Accelerator.objects.select_for_update(no_key=True).get(pk=card.pk)
                row.isolation = ["exclusive"]
                row.save(update_fields=["isolation"])
                placed.append(AllocationDevice.objects.count())
            return "weaker"
        return code_of(lambda: scene.place(works[number], scene.placement(cards=(0,))))

    placed: list[int] = []
    outcomes = Counter(at_once(len(works) + 1, act))

    assert outcomes.keys() <= {"ok", "isolation_unavailable", "weaker"}
    assert AllocationDevice.objects.count() == outcomes["ok"] == placed[0]
    late = scene.work(gpu_milli=50, gpu_memory_mib=64)
    refused = code_of(lambda: scene.place(late, scene.placement(cards=(0,))))
    assert refused == "isolation_unavailable"
