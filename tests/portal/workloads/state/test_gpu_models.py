"""Work that chooses its GPUs, and quotas of one model, on PostgreSQL."""

from collections import Counter
from typing import Any

import pytest

from portal.inventory.models import Accelerator, Node
from portal.quotas.models import Quota, UserUse
from portal.quotas.services import recount_quotas
from portal.workloads.errors import PlacementRefusedError
from portal.workloads.models import Allocation, Workload
from portal.workloads.submission.dry_run import as_pending, run_dry
from portal.workloads.submission.refusals import find_refusals
from scheduler.core.dry_run import DryRunOutcome
from scheduler.runtime.loop import run_once
from tests.builders.at_once import at_once
from tests.builders.machines import an_image
from tests.builders.people import a_member, a_root, a_user
from tests.builders.scenes import Scene, a_scene, assert_sound, cancel
from tests.portal.jobs.test_api import a_job, post
from tests.portal.workloads.state.test_races import outcome_of
from tests.rest import API, browser, json_of, problem_of

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("redis_url")]

A100, L4 = "NVIDIA A100 SXM 80GB", "NVIDIA L4 24GB"
DRIVERS = {A100: "NVIDIA A100-SXM4-80GB", L4: "NVIDIA L4"}


def a_mixed_scene(*models: str, cards: int = 4) -> Scene:
    """Return one pool with a node of each of these models, by the names of their drivers."""
    scene = a_scene(nodes=len(models), cards=cards)
    for node, model in zip(scene.nodes, models, strict=True):
        Accelerator.objects.filter(node=node).update(model=DRIVERS.get(model, model))
    return scene


def limit(scene: Scene, model: str, ceiling: int | None, **more: Any) -> Quota:
    return Quota.objects.create(
        group=scene.group, resource="gpu", model=model, ceiling=ceiling, **more
    )


def nodes_of(work: Workload) -> list[Node]:
    return [item.node for item in work.allocations.select_related("node").order_by("rank")]


@pytest.mark.parametrize(
    ("chosen", "node"),
    [
        ({"gpu_models": [L4]}, 1),
        ({"gpu_features": ["fp8"]}, 1),
        ({"gpu_bandwidth_min_gbps": 1000}, 0),
        ({"gpu_models": ["homemade"]}, 2),
        ({"gpu_models": [A100, "homemade"], "gpu_features": ["bf16"]}, 0),
    ],
)
def test_chosen_gpus_are_the_ones_that_work_gets(chosen: dict[str, Any], node: int) -> None:
    scene = a_mixed_scene(A100, L4, "homemade")
    work = scene.work(gpus=2, **chosen)

    run_once()

    assert nodes_of(work) == [scene.nodes[node]]
    assert_sound()


def test_a_model_that_is_full_is_waited_for_beside_free_gpus_of_another() -> None:
    scene = a_mixed_scene(A100, L4)
    first, second = (scene.work(gpus=3, gpu_models=[A100]) for _ in range(2))
    run_once()
    second.refresh_from_db()

    assert nodes_of(first) == [scene.nodes[0]]
    assert second.state == "queued"
    dry = run_dry(as_pending(second), "training").result
    assert (dry.outcome, dry.reasons[0].params["instead"]) == (DryRunOutcome.WAITS, L4)


def test_a_model_whose_node_is_away_is_waited_for_and_one_that_is_not_there_refused() -> None:
    scene = a_mixed_scene(A100, L4)
    Node.objects.filter(pk=scene.nodes[0].pk).update(state="lost")
    away = scene.work(gpus=1, gpu_models=[A100])
    missing = as_pending(scene.work(gpus=1, gpu_models=["H100"]))

    run_once()

    away.refresh_from_db()
    assert (away.state, find_refusals(as_pending(away))) == ("queued", ())
    (why,) = run_dry(as_pending(away), "training").result.reasons
    assert (why.code, why.params["installed"]) == ("no_matching_model", 4)
    (never,) = find_refusals(missing)
    assert (never.code, never.params["installed"]) == ("no_matching_model", 0)


@pytest.mark.parametrize(
    ("limits", "code", "most"),
    [
        ({"ceiling": 2000}, "quota_ceiling", "group {group} may use 2 GPUs of {model} at most"),
        (
            {"ceiling": 3000, "user_ceiling": 1000},
            "quota_user_ceiling",
            "one member of {group} may hold 1 GPU of {model} at most",
        ),
    ],
)
def test_the_refusal_by_a_limit_on_one_model_says_which(
    limits: dict[str, int], code: str, most: str
) -> None:
    scene = a_mixed_scene(A100, L4)
    limit(scene, L4, **limits)
    an_image("python")
    body = a_job(group=scene.group.name, pool=scene.pool.name, gpu_models=[L4]) | {"gpus": 3}
    client = browser(scene.owner)

    refused = problem_of(post(client, body), 422, code)
    dry = json_of(client.post(f"{API}/workloads/dry-run", _draft(body), format="json"))

    assert most.format(group=scene.group.name, model=L4) in refused["detail"]
    assert refused["params"]["model"] == L4
    assert [(why["code"], why["params"]["model"]) for why in dry["reasons"]] == [(code, L4)]


def test_work_that_waits_for_models_names_each_and_who_holds_it() -> None:
    scene = a_mixed_scene(A100, L4)
    for model in (A100, L4):
        limit(scene, model, 2000)
    for node in (0, 1):
        scene.place(scene.work(gpus=2), scene.placement(node, cards=(0, 1)))
    waits = scene.work(gpus=1)
    run_once()

    shown = json_of(browser(scene.owner).get(f"{API}/workloads/{waits.pk}/waiting"))

    told = {held["reason"]["params"]["model"]: held for held in shown["limits"]}
    assert told.keys() == {A100, L4}
    assert [len(held["holders"]) for held in told.values()] == [1, 1]
    reasons = json_of(browser(scene.owner).get(f"{API}/jobs/{waits.pk}"))["reasons"]
    assert {why["params"]["model"] for why in reasons} == {A100, L4}


def test_commit_refuses_gpus_that_were_not_chosen() -> None:
    """The card was exchanged, or reports another name, since the snapshot."""
    scene = a_mixed_scene(A100, L4)
    work = scene.work(gpus=1, gpu_models=[A100])

    with pytest.raises(PlacementRefusedError, match="no_matching_model"):
        scene.place(work, scene.placement(1, cards=(0,)))

    scene.place(work, scene.placement(0, cards=(0,)))
    assert_sound()


def test_commit_counts_the_model_of_the_gpus_that_it_has_locked() -> None:
    scene = a_mixed_scene(A100, L4)
    quota, other = limit(scene, A100, 2000), limit(scene, L4, None)
    held = scene.work(gpus=2)
    scene.place(held, scene.placement(0, cards=(0, 1)))

    with pytest.raises(PlacementRefusedError, match="quota_ceiling"):
        scene.place(scene.work(gpus=1), scene.placement(0, cards=(2,)))
    scene.place(scene.work(gpus=1), scene.placement(1, cards=(0,)))

    quota.refresh_from_db()
    other.refresh_from_db()
    assert (quota.used, other.used) == (2000, 1000)
    assert recount_quotas() == 0
    cancel(held)
    assert_sound()


def test_what_was_counted_is_given_back_though_the_card_has_another_name_since() -> None:
    scene = a_mixed_scene(A100)
    quota = limit(scene, A100, 8000)
    work = scene.work(gpus=2)
    scene.place(work, scene.placement(0, cards=(0, 1)))
    Accelerator.objects.update(model="renamed by a driver")

    cancel(work)

    quota.refresh_from_db()
    assert (work.state, quota.used) == ("cancelled", 0)
    assert_sound()


def test_64_placements_at_once_admit_exactly_the_quota_of_their_model() -> None:
    scene = a_mixed_scene(*[A100] * 4, *[L4] * 4, cards=8)
    quotas = [
        limit(scene, A100, 6000),
        limit(scene, A100, 9000, pool=scene.pool),
        limit(scene, L4, None, user_ceiling=5000),
        Quota.objects.create(group=a_root(), resource="gpu", ceiling=50_000),
    ]
    works = [scene.work(gpus=1) for _ in range(64)]
    spots = [scene.placement(node, cards=(card,)) for node in range(8) for card in range(8)]

    outcomes = at_once(64, lambda i: outcome_of(lambda: scene.place(works[i], spots[i])))

    assert Counter(outcomes) == {"ok": 11, "quota_ceiling": 26, "quota_user_ceiling": 27}
    for quota in quotas:
        quota.refresh_from_db()
    assert [quota.used for quota in quotas] == [6000, 6000, 5000, 11_000]
    assert UserUse.objects.get(quota=quotas[2]).used == 5000
    assert Allocation.objects.count() == 11
    assert recount_quotas() == 0
    assert_sound()


def test_the_engine_leaves_out_a_model_of_which_the_quota_is_used_up() -> None:
    scene = a_mixed_scene(A100, L4)
    limit(scene, A100, 1000)
    any_model = [scene.work(gpus=1) for _ in range(5)]
    only = scene.work(gpus=2, gpu_models=[A100])

    run_once()

    used = Counter(node.name for work in any_model for node in nodes_of(work))
    assert used[scene.nodes[0].name] <= 1
    assert used[scene.nodes[1].name] == 4
    assert nodes_of(only) == []
    assert_sound()


def test_a_job_names_its_gpus_by_what_the_driver_calls_them_and_shows_the_choice() -> None:
    scene = a_mixed_scene(A100, L4)
    an_image("python")
    client = browser(scene.owner)
    body = a_job(
        group=scene.group.name,
        pool=scene.pool.name,
        gpu_models=["nvidia a100-sxm4-80gb"],
        gpu_memory_min_mib=16384,
        gpu_features=["bf16"],
        gpu_bandwidth_min_gbps=1500,
    )

    shown = json_of(post(client, body), 202)
    found = json_of(client.get(f"{API}/jobs/{shown['id']}"))

    assert found["gpu_models"] == [A100]
    assert (found["gpu_features"], found["gpu_bandwidth_min_gbps"]) == (["bf16"], 1500)
    assert found["gpu_memory_min_mib"] == 16384
    refused = problem_of(post(client, body | {"gpu_models": ["H100"]}), 422, "no_matching_model")
    assert "no GPU that fits (H100" in refused["detail"]
    nothing = {name: value for name, value in body.items() if name != "gpus"}
    problem_of(post(client, nothing), 422, "gpu_choice_without_gpus")
    problem_of(post(client, body | {"gpu_features": ["luck"]}), 400, "invalid_input")
    problem_of(post(client, body | {"gpu_models": ["a,b"]}), 400, "invalid_input")
    dry = json_of(client.post(f"{API}/workloads/dry-run", _draft(body), format="json"))
    assert dry["verdict"] == "starts_now"


def _draft(body: dict[str, object]) -> dict[str, object]:
    kept = {name: value for name, value in body.items() if name not in {"name", "command"}}
    return kept | {"kind": "training"}


def test_a_quota_of_a_model_by_the_api() -> None:
    scene = a_mixed_scene(A100)
    admin = browser(a_user(role="platform_admin"))
    scene.place(scene.work(gpus=2), scene.placement(0, cards=(0, 1)))
    body = {"group": str(scene.group.pk), "resource": "gpu", "model": DRIVERS[A100]}

    made = json_of(admin.post(f"{API}/quotas", body | {"ceiling": 4000}, format="json"), 201)

    assert (made["model"], made["used"], made["ceiling"]) == (A100, 2000, 4000)
    json_of(admin.post(f"{API}/quotas", body | {"model": ""}, format="json"), 201)
    again = admin.post(f"{API}/quotas", body | {"model": A100}, format="json")
    problem_of(again, 409, "quota_exists")
    promise = admin.patch(f"{API}/quotas/{made['id']}", {"deserved": 1000}, format="json")
    problem_of(promise, 422, "quota_of_model_promises_nothing")
    other = admin.post(f"{API}/quotas", body | {"resource": "cpu"}, format="json")
    problem_of(other, 422, "quota_of_model_counts_gpus")
    rows = json_of(browser(a_member(scene.group)).get(f"{API}/quotas"))
    assert [row["model"] for row in rows] == ["", A100]


def test_pool_and_node_show_what_is_known_of_their_models() -> None:
    scene = a_mixed_scene(A100, "homemade")
    client = browser(scene.owner)
    scene.place(scene.work(gpus=1), scene.placement(0, cards=(0,)))

    pool = json_of(client.get(f"{API}/pools/{scene.pool.pk}"))
    node = json_of(client.get(f"{API}/nodes/{scene.nodes[0].pk}"))

    known, unknown = pool["models"]
    assert (known["name"], known["gpus_total"], known["gpus_free"]) == (A100, 4, 3)
    assert (known["known"]["bandwidth_gbps"], known["known"]["is_mig_capable"]) == (2039, True)
    assert (unknown["name"], unknown["known"]) == ("homemade", None)
    assert [model["name"] for model in node["models"]] == [A100]
    assert node["models"][0]["known"]["fp16_tflops"] == 312
