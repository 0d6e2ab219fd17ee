"""The map of cards: every card in one order, work as far as the reader may see it, values of now."""

import json
from datetime import timedelta
from typing import Any, Final

import pytest
from redis.client import PubSub

from portal.common.clock import now
from portal.common.notifications import CARDS_TOPIC, CHANNEL
from portal.common.redis_client import get_redis_client, own_channel
from portal.identity.models import User
from portal.inventory.models import Accelerator, Node
from portal.telemetry.services import record_samples
from tests.builders.people import a_group, a_member, a_user
from tests.builders.scenes import a_scene
from tests.portal.overview.columns import holders_of
from tests.rest import API, browser, json_of

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("redis_url")]

PATIENCE_S: Final = 5.0


def card_map(user: User) -> Any:
    return json_of(browser(user).get(f"{API}/card-map"))


def values(user: User) -> Any:
    return json_of(browser(user).get(f"{API}/card-map/values"))


def test_both_answers_list_the_same_cards_in_one_order() -> None:
    scene = a_scene(nodes=2, cards=3)
    Node.objects.update(last_seen_at=now())
    for card in Accelerator.objects.select_related("node"):
        Accelerator.objects.filter(pk=card.pk).update(
            utilisation_pct=card.index, temperature_c=40, power_mw=150_400
        )
    reader = a_user(role="operator")

    placed, measured = card_map(reader), values(reader)

    assert placed["order"] == measured["order"]
    assert measured["utilisation_pct"] == placed["cards"]["index"]
    assert measured["power_w"] == [150] * 6
    assert measured["memory_used_mib"] == [None] * 6
    names = [placed["nodes"][at]["name"] for at in placed["cards"]["node"]]
    assert sorted(names) == sorted(node.name for node in scene.nodes for _ in range(3))
    assert placed["cards_total"] == 6
    # Cards that were taken out are no part of either; lost ones are of both.
    gone, missing = list(Accelerator.objects.order_by("id")[:2])
    Accelerator.objects.filter(pk=gone.pk).update(state="gone", fault="gpu_removed")
    Accelerator.objects.filter(pk=missing.pk).update(state="gone", fault="gpu_missing")
    assert card_map(reader)["order"] == values(reader)["order"] != placed["order"]
    assert str(gone.pk) not in card_map(reader)["cards"]["id"]
    assert str(missing.pk) in card_map(reader)["cards"]["id"]


def test_what_a_silent_node_measured_last_is_not_shown_as_of_now() -> None:
    scene = a_scene(cards=1)
    Accelerator.objects.update(utilisation_pct=80)
    reader = a_user(role="auditor")
    Node.objects.filter(pk=scene.nodes[0].pk).update(last_seen_at=now() - timedelta(minutes=2))
    assert values(reader)["utilisation_pct"] == [None]
    Node.objects.filter(pk=scene.nodes[0].pk).update(last_seen_at=now())
    assert values(reader)["utilisation_pct"] == [80]


def test_other_tenants_work_is_there_without_names() -> None:
    scene = a_scene(cards=1, slices=8)
    work = scene.work(slices=3, kind="environment")
    scene.place(work, scene.placement(cards=(0,), slots=(0, 1, 2)))
    stranger = a_member(a_group())

    own, seen = card_map(scene.owner), card_map(stranger)

    assert own["parts"] == seen["parts"]
    assert own["parts"]["slot"] == [0, 1, 2]
    assert sum(own["parts"]["gpu_milli"]) == 375
    [mine], [others] = holders_of(own), holders_of(seen)
    assert (mine["mine"], mine["name"], mine["workload"]) == (True, work.name, str(work.pk))
    assert mine["group"]["id"] == str(scene.group.pk)
    assert others == {
        "mine": False, "kind": "environment", "workload": None, "name": None, "owner": None,
        "group": None, "idle_since": None,
    }  # fmt: skip
    assert holders_of(card_map(a_user(role="operator")))[0]["name"] == work.name
    assert card_map(a_user(role="operator"))["cards"]["slices"] == [8]


def test_new_samples_of_any_node_are_published() -> None:
    scene = a_scene(cards=1)
    with PubSub(get_redis_client().connection_pool) as subscriber:
        subscriber.subscribe(own_channel(get_redis_client(), CHANNEL))
        subscriber.get_message(timeout=PATIENCE_S)
        record_samples(scene.nodes[0].pk, ())
        message = subscriber.get_message(timeout=PATIENCE_S)
    assert message is not None
    assert json.loads(message["data"])["topics"] == [CARDS_TOPIC]


def test_an_empty_cluster_has_an_empty_map() -> None:
    reader = a_user()
    assert card_map(reader)["cards"]["id"] == values(reader)["utilisation_pct"] == []
    assert card_map(reader)["order"] == values(reader)["order"]
