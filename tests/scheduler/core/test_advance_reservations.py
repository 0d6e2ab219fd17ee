"""The devices that an advance reservation gets, and the promises that a refusal names."""

from dataclasses import replace

import pytest

from scheduler.core.cycle import run_cycle
from scheduler.core.model.advance_reservations import AdvanceReservationView, ReservedWindow
from scheduler.core.model.entities import AcceleratorId, Millis, PoolId
from scheduler.core.model.snapshot import Snapshot
from scheduler.core.model.states import AcceleratorState
from scheduler.core.reserve_devices import ObstacleKind, choose_devices, replace_devices
from tests.scheduler.core.actions.worlds import GROUPS
from tests.scheduler.fairness.advance_reservations import COURSE
from tests.scheduler.scenario import snapshot_of

REFUSED = {
    "running work that cannot be evicted, up to its limit": (
        {"running": ["busy: 3 cards on n1 of speech, began 60 s ago, ends in 4000 s"]},
        *(2, [(ObstacleKind.WORK, 3, "busy", 4000)]),
    ),
    "a notebook that comes inside its group's guarantee when others of the group end": (
        {
            "running": [
                "own: 2 cards on n1 of speech, environment, preemptible, began 60 s ago, ends in 86400 s",
                "late: 2 cards on n1 of speech, environment, preemptible, began 60 s ago, ends in 86400 s",
            ],
            "quotas": ["speech: guarantee 2 cards in training"],
        },
        *(2, [(ObstacleKind.WORK, 2, "own", 86400), (ObstacleKind.WORK, 2, "late", 86400)]),
    ),
    "another reservation at the same time": (
        {"reservations": ["exam: 3 cards on n1, for speech, from 4000 to 9000"]},
        *(2, [(ObstacleKind.RESERVATION, 3, "exam", 9000)]),
    ),
    "a guarantee of another group": (
        {"quotas": ["speech: guarantee 3 cards in training"]},
        *(2, [(ObstacleKind.GUARANTEE, 1000, "speech", None)]),
    ),
    "a promised start": (
        {
            "running": ["busy: 2 cards on n1 of speech, began 60 s ago, ends in 3000 s"],
            "waiting": ["big: 4 cards of speech, limit 86400"],
        },
        *(2, [(ObstacleKind.PROMISED_START, 1, "big", 3000)]),
    ),
}


@pytest.mark.parametrize("row", REFUSED.values(), ids=REFUSED)
def test_a_refusal_names_what_is_in_the_way(row: tuple[dict[str, list[str]], int, object]) -> None:
    site, count, expected = row

    choice = choose_devices(_site(site), _wanted(), count, whole=True)

    found = [
        (
            each.kind,
            each.count,
            each.workload or each.reservation or each.group,
            _seconds(each.until),
        )
        for each in choice.obstacles
    ]
    assert (choice.devices, found) == ((), expected)


ACCEPTED = {
    "running work that ends before": [
        "busy: 4 cards on n1 of speech, began 60 s ago, ends in 3600 s"
    ],
    "work that can be evicted": ["busy: 4 cards on n1 of speech, preemptible, ends in 86400 s"],
    "nothing": [],
}


@pytest.mark.parametrize("running", ACCEPTED.values(), ids=ACCEPTED)
def test_what_leaves_in_time_is_no_obstacle(running: list[str]) -> None:
    choice = choose_devices(_site({"running": running}), _wanted(), 4, whole=True)

    assert len(choice.devices) == 4
    assert choice.obstacles == ()


def test_a_promised_start_on_another_node_is_left_alone() -> None:
    site = _site(
        {
            "nodes": ["n1: 4 cards", "n2: 4 cards"],
            "running": ["busy: 2 cards on n1 of speech, began 60 s ago, ends in 3000 s"],
            "waiting": [
                "big: 4 cards of speech, limit 86400",
                "also: 4 cards of speech, limit 86400",
            ],
        }
    )
    before = run_cycle(site, site.taken_at)
    choice = choose_devices(site, _wanted(), 2, whole=True)

    assert [promise.workload for promise in before.reservations] == ["also"]
    assert choice.devices == () or {node for node, _, _ in choice.devices} == {"n2"}


def test_slices_are_taken_from_few_cards() -> None:
    site = _site(
        {
            "pools": ["training", "development: 8 slices of 4096 MiB"],
            "nodes": ["d1: 2 cards in development"],
            "running": ["a: 1 slices on d1 card 0 in development of speech, ends in 86400 s"],
        }
    )
    wanted = replace(_wanted(), pool=PoolId("development"))

    choice = choose_devices(site, wanted, 10, whole=False)

    assert [card for _, card, _ in choice.devices].count(AcceleratorId("d1.1")) == 8
    assert len(choice.devices) == 10


def test_a_failed_card_is_replaced_and_the_others_stay() -> None:
    site = _site({"nodes": ["n1: 4 cards", "n2: 4 cards"]})
    kept = choose_devices(site, _wanted(), 3, whole=True).devices[1:]
    broken = _broken(site, "n1.0")

    choice = replace_devices(broken, _wanted(), 1, kept=kept, whole=True)

    assert choice.devices[:2] == kept
    assert choice.devices[2][1] == AcceleratorId("n1.3")


def test_where_work_stays_on_every_other_card_none_replaces_it() -> None:
    site = _site(
        {"running": ["busy: 1 cards on n1 card 3 of speech, began 60 s ago, ends in 9000 s"]}
    )
    kept = choose_devices(site, _wanted(), 3, whole=True).devices[1:]

    choice = replace_devices(_broken(site, "n1.0"), _wanted(), 1, kept=kept, whole=True)

    assert choice.devices == ()
    assert [each.kind for each in choice.obstacles] == [ObstacleKind.WORK]


def _broken(site: Snapshot, card: str) -> Snapshot:
    return replace(
        site,
        accelerators=tuple(
            replace(each, state=AcceleratorState.SUSPECT) if each.id == card else each
            for each in site.accelerators
        ),
    )


def _site(more: dict[str, list[str]]) -> Snapshot:
    site: dict[str, object] = {
        "nodes": ["n1: 4 cards"],
        "groups": ["lab", "vision: in lab", "speech: in lab"],
    }
    return snapshot_of(site | more)


def _wanted() -> AdvanceReservationView:
    window = ReservedWindow(Millis(3_600_000), Millis(7_200_000))
    return AdvanceReservationView(
        COURSE, "course", PoolId("training"), GROUPS[1], devices=(), windows=(window,)
    )


def _seconds(at: Millis | None) -> int | None:
    return None if at is None else at // 1000
