"""Classes of waiting work: equal work has one, and a queue is gone through class by class."""

from dataclasses import replace

import pytest

from scheduler.core.model.entities import ArrayId, GroupId, PendingWorkload, PoolId, Request, UserId
from scheduler.core.model.work_traits import WorkTraits
from scheduler.core.ordering.work_classes import ClassedQueue
from tests.scheduler.scenario import snapshot_of


def _work(*lines: str) -> tuple[PendingWorkload, ...]:
    return snapshot_of({"nodes": ["n1: 4 cards"], "waiting": list(lines)}).pending


def test_what_differs_in_age_and_holds_alone_is_of_one_class() -> None:
    first, second = _work("a: 2 cards, since 5", "b: 2 cards, since 9, held held_by_user")

    assert first.work_class is second.work_class


@pytest.mark.parametrize(
    "change",
    [
        {"pool": PoolId("other")},
        {"group": GroupId("other")},
        {"user": UserId("other")},
        {"array": ArrayId("other")},
        {"request": Request(gpus=3)},
        {"traits": WorkTraits(may_borrow=False)},
        {"priority": 7},
        {"time_limit_s": 7},
        {"preemptible": True},
    ],
    ids=lambda change: next(iter(change)),
)
def test_what_rules_can_tell_apart_is_of_another_class(change: dict[str, object]) -> None:
    (work,) = _work("a: 2 cards")

    assert work.work_class is not replace(work, **change).work_class  # type: ignore[arg-type]


def test_a_class_that_is_taken_out_on_the_way_is_not_looked_at_again() -> None:
    works = _work("a: 1 cards", "b: 2 cards", "c: 1 cards", "d: 2 cards", "e: 1 cards")
    queue = ClassedQueue(works)
    considered = queue.classes()
    seen = []

    for work in queue.of_classes(considered):
        seen.append(work.id)
        if work.id == "c":
            considered.discard(work.work_class)

    assert seen == ["a", "b", "c", "d"]


def test_only_the_class_is_found_that_way() -> None:
    (work,) = _work("a: 1 cards")

    with pytest.raises(AttributeError, match="classes"):
        getattr(work, "classes")  # noqa: B009 - the name does not exist, as mypy would say
