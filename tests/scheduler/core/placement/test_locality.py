"""How much of what work needs a node has on its disk: one row for each rule."""

import pytest

from scheduler.core.model.cached_content import CachedContent
from scheduler.core.model.entities import NodeId
from scheduler.core.placement.locality import Locality

ROWS = {NodeId("n1"): 0, NodeId("n2"): 1, NodeId("n3"): 2}
CACHED = {
    "image": CachedContent("image", 300, frozenset({NodeId("n1")})),
    "data": CachedContent("data", 100, frozenset({NodeId("n1"), NodeId("n2")})),
    "empty": CachedContent("empty", 0, frozenset({NodeId("n2")})),
    "everywhere": CachedContent("everywhere", 500, frozenset(ROWS)),
    "nowhere": CachedContent("nowhere", 500, frozenset()),
    "elsewhere": CachedContent("elsewhere", 500, frozenset({NodeId("gone")})),
}

TABLE: dict[str, tuple[tuple[str, ...], list[int] | None]] = {
    "nothing is needed": ((), None),
    "one thing": (("image",), [1000, 0, 0]),
    "by size": (("image", "data"), [1000, 250, 0]),
    "what no node has counts nothing": (("data", "nowhere"), [1000, 1000, 0]),
    "what only other nodes have counts nothing": (("data", "elsewhere"), [1000, 1000, 0]),
    "what nobody has heard of counts nothing": (("data", "unknown"), [1000, 1000, 0]),
    "only what no node has": (("nowhere", "elsewhere", "unknown"), None),
    "what every node has prefers none": (("everywhere",), None),
    "beside what every node has": (("everywhere", "data"), [1000, 1000, 833]),
    "what has no size counts a little": (("empty", "data"), [990, 1000, 0]),
}


@pytest.mark.parametrize("row", TABLE.values(), ids=TABLE)
def test_locality_of_nodes(row: tuple[tuple[str, ...], list[int] | None]) -> None:
    contents, expected = row

    found = Locality(CACHED, ROWS).of(contents)

    assert (None if found is None else found.tolist()) == expected


def test_equal_contents_are_measured_once() -> None:
    locality = Locality(CACHED, ROWS)

    assert locality.of(("image",)) is locality.of(("image",))
