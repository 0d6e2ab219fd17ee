"""A GPU that falls off the bus, from the report of its node to everything that shows it."""

import pytest

from portal.alarms.evaluation import evaluate_alarms
from portal.alarms.models import Alarm
from portal.common.clock import now
from portal.inventory.models import Node
from tests.builders.people import a_user
from tests.builders.scenes import a_scene
from tests.rest import API, browser, json_of
from wire.facts import AcceleratorHealth

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("redis_url")]


def test_a_lost_card_keeps_its_place_is_counted_and_raises_the_alarm_at_once() -> None:
    scene = a_scene(cards=8)
    [link] = scene.links
    link.beat()
    said = link.message(2)
    cards = [
        card.model_copy(update={"health": AcceleratorHealth.GONE, "fault": "xid_79"})
        if card.index == 5
        else card
        for card in said.facts.accelerators
    ]
    facts = said.facts.model_copy(update={"accelerators": tuple(cards)})
    link.repeat(said.model_copy(update={"facts": facts}))
    Node.objects.update(last_seen_at=now())
    reader = browser(a_user(role="platform_admin"))

    [pool] = json_of(reader.get(f"{API}/pools"))["results"]
    assert [pool["capacity"][name] for name in ("gpus_total", "gpus_free", "gpus_lost")] == [
        8,
        7,
        1,
    ]
    board = json_of(reader.get(f"{API}/card-map"))["cards"]
    assert sorted(board["index"]) == list(range(8))
    assert board["state"][board["index"].index(5)] == "gone"
    [node] = json_of(reader.get(f"{API}/nodes"))["results"]
    assert [card["fault"] for card in node["accelerators"]] == [*[""] * 5, "xid_79", "", ""]
    evaluate_alarms()
    alarm = Alarm.objects.get(rule__kind="gpu_fault")
    assert (alarm.state, alarm.subject_name) == ("firing", f"{scene.nodes[0].name} #5")
    overview = json_of(reader.get(f"{API}/overview"))
    lost = next(row for row in overview["problems"] if row["code"].startswith("gpus_"))
    assert (lost["code"], lost["count"], lost["severity"]) == ("gpus_lost", 1, "critical")
    assert lost["subjects"] == [
        {"node": str(scene.nodes[0].pk), "name": f"{scene.nodes[0].name} #5", "detail": "xid_79"}
    ]
    [use] = overview["pools"]
    assert [use[name] for name in ("gpus_total", "gpus_free", "gpus_lost")] == [8, 7, 1]
