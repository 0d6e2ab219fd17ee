"""New points are sent with the topics of charts, as what follows an answer of REST.

The answers and what was sent between them stand in a file, from which the tests of the page try every
way of getting from an earlier answer to a later one.
"""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final

import pytest
from redis.client import PubSub

from portal.common.clock import freeze, now, to_millis
from portal.common.notifications import CARDS_TOPIC, CHANNEL, PUSHED_MAX
from portal.common.redis_client import get_redis_client, own_channel
from portal.inventory.models import Node
from portal.telemetry.services import SampleFeed
from portal.workloads.models import Allocation
from tests.builders.machines import a_node, a_pool
from tests.builders.people import a_group, a_member
from tests.builders.workloads import a_workload, an_allocation
from tests.rest import API, browser, json_of
from tests.waiting import PATIENCE_S
from wire.samples import CardSample, ContainerSample, HostSample, Sample, Telemetry

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("redis_url")]

REPOSITORY: Final = Path(__file__).parents[3]
CASES: Final = REPOSITORY / "frontend/src/shared/telemetry/model/tail-cases.gen.ts"
HEAD: Final = (
    "// Written by tests/portal/telemetry/test_pushed_points.py: answers, and what is pushed.\n"
)
NOON: Final = datetime(2031, 5, 4, 12, 0, tzinfo=UTC)
MESSAGES: Final = (
    (0,), (5,), (10, 12.5), (15,), (20,), (17.5, 25), (50,), (55, 60), (63, 66, 69), (140,), (142, 147)
)  # fmt: skip
"""Seconds after noon of the samples of each message: holes, and one sample that comes late."""
STEPS_S: Final = (5, 60)


@contextmanager
def hearing() -> Iterator[Callable[[], Any]]:
    """Provide what reads the next message to the live processes."""
    with PubSub(get_redis_client().connection_pool) as subscriber:
        subscriber.subscribe(own_channel(get_redis_client(), CHANNEL))
        subscriber.get_message(timeout=PATIENCE_S)

        def hear() -> Any:
            message = subscriber.get_message(timeout=PATIENCE_S)
            assert message is not None
            return json.loads(message["data"])

        yield hear


def an_attempt(cards: int = 2) -> Allocation:
    group, pool = a_group(), a_pool(slices=8)
    work = a_workload(a_member(group), group, pool, state="running", slices=1)
    node = a_node(pool, cards=cards)
    return an_allocation(work, node, on=[(node.accelerators.get(index=0), 0)])


def a_sample(attempt: Allocation, at: datetime) -> Sample:
    """Return a sample with values that nothing else has; a counter begins anew, one card is silent."""
    second = int((at - NOON).total_seconds() * 2)
    begun = 130 if second > 130 else 0
    return Sample(
        at=to_millis(at),
        host=HostSample(
            cpus=8,
            cpu_ms=(second - begun) * 1500,
            memory_used_mib=None if second % 4 == 1 else second + 7,
            memory_mib=4096,
            rx_bytes=second * 333,
        ),
        cards=tuple(
            CardSample(
                uuid=card.uuid,
                utilisation_pct=None if card.index and second % 3 == 0 else (second * 7) % 101,
                memory_used_mib=100 + second,
                power_mw=60_100 + 310 * second,
                temperature_c=second % 60 - 20,
            )
            for card in attempt.node.accelerators.order_by("index")
        ),
        containers=(
            ContainerSample(
                allocation=attempt.wire_name,
                epoch=attempt.epoch,
                cpu_ms=(second - begun) * (second + 30),
                memory_mib=second * second,
                rx_bytes=None if second % 4 == 1 else second * 1000,
            ),
        ),
    )


def test_what_is_pushed_follows_the_answers_of_rest(tmp_path: Path) -> None:
    attempt = an_attempt()
    subjects = {"node": attempt.node_id, "workload": attempt.workload_id}
    user, feed = browser(attempt.workload.owner), SampleFeed()
    cases: dict[str, Any] = {kind: {"pushed": [], "answers": []} for kind in subjects}

    with hearing() as hear:
        for seconds in MESSAGES:
            with freeze(NOON + timedelta(seconds=max(seconds) + 0.5)):
                samples = [a_sample(attempt, NOON + timedelta(seconds=at)) for at in seconds]
                feed.record(attempt.node_id, Telemetry(samples=tuple(samples)))
                points = hear()["points"]
                for kind, key in subjects.items():
                    cases[kind]["pushed"].append(points[f"telemetry:{kind}:{key}"])
                    asked = f"{API}/telemetry?{kind}={key}&since=2031-05-04T11:59:00Z&step_s="
                    answers = [json_of(user.get(f"{asked}{step}")) for step in STEPS_S]
                    cases[kind]["answers"].append(answers)

    keys = {str(attempt.pk): "attempt", str(attempt.node_id): "host", attempt.node.name: "node"}
    for card in attempt.node.accelerators.all():
        keys[str(card.pk)] = f"card-{card.index}"
    text = json.dumps(cases, separators=(",", ":"), sort_keys=True)
    for known, name in keys.items():
        text = text.replace(known, name)
    written = f"{HEAD}export const CASES: unknown = {text};\n"
    if CASES.read_text() != written:
        found = tmp_path / CASES.name
        found.write_text(written)
        pytest.fail(
            f"{CASES.relative_to(REPOSITORY)} is not what is sent; copy {found} if it may be"
        )


def feed_of(node: Node) -> Callable[[SampleFeed], None]:
    def record(feed: SampleFeed) -> None:
        cards = tuple(CardSample(uuid=card.uuid) for card in node.accelerators.all())
        sample = Sample(at=to_millis(now()), cards=cards)
        feed.record(node.pk, Telemetry(samples=(sample,)))

    return record


def test_a_frame_names_the_one_before_it_as_far_as_the_process_knows() -> None:
    node = a_node(a_pool(), cards=1)
    record, feed = feed_of(node), SampleFeed()
    moments = [NOON + timedelta(seconds=2 * n) for n in range(3)]

    with hearing() as hear:
        for at in moments:
            with freeze(at):
                record(feed if at != moments[2] else SampleFeed())
        heard = [hear() for _ in moments]

    topic = f"telemetry:node:{node.pk}"
    assert [message["points"][topic]["after"] for message in heard] == [
        None, to_millis(moments[0]), None,
    ]  # fmt: skip
    assert {tuple(message["topics"]) for message in heard} == {(CARDS_TOPIC,)}


def test_what_was_known_already_is_not_sent_again() -> None:
    node = a_node(a_pool(), cards=1)
    record, feed = feed_of(node), SampleFeed()
    with hearing() as hear, freeze(NOON):
        record(feed)
        record(feed)
        assert "points" in hear()
        assert "points" not in hear()


def test_more_than_a_page_should_get_at_once_is_asked_for() -> None:
    node = a_node(a_pool(), cards=16)
    topic = f"telemetry:node:{node.pk}"
    values = {"utilisation_pct": 100, "memory_used_mib": 143_771, "power_mw": 700_123}
    cards = tuple(CardSample(uuid=card.uuid, **values) for card in node.accelerators.all())
    with hearing() as hear, freeze(NOON):
        for count, is_pushed in ((1, True), (60, False)):
            samples = tuple(
                Sample(at=to_millis(NOON) - n * 1000 - count, cards=cards) for n in range(count)
            )
            SampleFeed().record(node.pk, Telemetry(samples=samples))
            told = hear()
            assert (topic in told.get("points", {})) == is_pushed
            assert (topic in told["topics"]) != is_pushed
            assert len(json.dumps(told)) < PUSHED_MAX + 1000
