"""A queue by classes: what is alike shares a class, and a class is skipped from then on."""

import pytest

from scheduler.core.ordering.work_classes import ClassedQueue
from tests.scheduler.core.tables import a_snapshot

ALIKE: dict[str, tuple[str, str, bool]] = {
    "equal work": ("1 cards", "1 cards", True),
    "another age": ("1 cards, since 1", "1 cards, since 2", True),
    "other devices to avoid": ("1 cards", "1 cards, avoid n1", True),
    "another hold": ("1 cards", "1 cards, held waiting_to_retry", True),
    "another request": ("1 cards", "2 cards", False),
    "another member": ("1 cards by li", "1 cards by wu", False),
    "another group": ("1 cards of lab", "1 cards of vision", False),
    "another pool": ("1 cards in training", "1 cards in other", False),
    "another priority": ("1 cards, priority 1", "1 cards", False),
    "another limit": ("1 cards, limit 5", "1 cards, limit 6", False),
    "one that may be evicted": ("1 cards, preemptible", "1 cards", False),
    "an environment": ("environment, 1 cards", "1 cards", False),
    "a task of an array": ("1 cards, array sweep", "1 cards", False),
}


@pytest.mark.parametrize("row", ALIKE.values(), ids=ALIKE)
def test_work_shares_a_class(row: tuple[str, str, bool]) -> None:
    one, other, is_alike = row
    works = a_snapshot(
        waiting=[f"a: {one}", f"b: {other}"], pools=["training", "other"], groups=["lab", "vision"]
    ).pending

    assert len(ClassedQueue(works).classes()) == 2 - is_alike


def test_only_considered_classes_come_and_only_as_long_as_they_are() -> None:
    works = a_snapshot(waiting=["a: 1 cards", "b: 2 cards", "c: 1 cards", "d: 2 cards"]).pending
    queue = ClassedQueue(works)
    considered = queue.classes()
    seen = []
    for work in queue.of_classes(considered):
        seen.append(work.id)
        if work.id == "b":
            considered.discard(work.work_class)

    assert seen == ["a", "b", "c"]
    assert list(queue.of_classes(set())) == []
    assert queue.works == works
