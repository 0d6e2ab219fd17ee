"""People whose work is on a node whose disk runs full are told, with numbers, and told when it has room."""

import pytest

from portal.workloads.models import Workload, WorkloadEvent
from portal.workloads.responses.workloads import present_detail
from tests.builders.scenes import a_scene, assert_sound
from tests.builders.scripted_node import running
from wire.facts import NodeFault

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("redis_url")]


def a_shortage(free_mib: int, code: str = "disk_pressure") -> NodeFault:
    return NodeFault(code=code, detail="images", free_mib=free_mib, size_mib=51200)


def notes(work: Workload) -> list[tuple[str, str, dict[str, object]]]:
    rows = WorkloadEvent.objects.filter(workload=work, cause__startswith="node_disk").order_by("id")
    return [(row.to_state, row.cause, row.params) for row in rows]


def test_everybody_on_the_node_is_told_once_with_numbers_and_once_when_it_is_over() -> None:
    scene = a_scene()
    link, name = scene.links[0], scene.nodes[0].name
    works = [scene.work(), scene.work()]
    held = [*scene.place(works[0]), *scene.place(works[1])]
    link.beat()
    link.beat(containers=[running(item) for item in held])
    for free_mib, code in ((1900, "disk_pressure"), (1500, "disk_pressure"), (300, "disk_full")):
        link.faults = (a_shortage(free_mib, code),)
        link.beat(containers=[running(item) for item in held])

    scene.nodes[0].refresh_from_db()
    assert scene.nodes[0].state == "unready"
    begun = ("running", "node_disk_short", {"node": name, "free_mib": 1900, "size_mib": 51200})
    assert [notes(work) for work in works] == [[begun], [begun]]
    works[0].refresh_from_db()
    shown = present_detail(works[0], None)
    assert shown["short_disks"] == [
        {
            "node": {"id": scene.nodes[0].pk, "name": name},
            "free_mib": 300,
            "size_mib": 51200,
        }
    ]
    assert [step["step"] for step in shown["timeline"]].count("running") == 1
    assert_sound()

    link.faults = ()
    link.beat(containers=[running(item) for item in held])
    assert notes(works[1]) == [begun, ("running", "node_disk_relieved", {"node": name})]
    assert present_detail(works[0], None)["short_disks"] == []
    scene.nodes[0].refresh_from_db()
    assert scene.nodes[0].state == "ready"


def test_work_that_is_not_there_or_not_up_is_told_nothing() -> None:
    scene = a_scene(nodes=2)
    elsewhere, ending = scene.work(), scene.work()
    (other,) = scene.place(elsewhere, scene.placement(node=1))
    (held,) = scene.place(ending)
    scene.links[1].beat(containers=[running(other)])
    Workload.objects.filter(pk=ending.pk).update(state="stopping")
    scene.links[0].faults = (a_shortage(100), NodeFault(code="inodes_full"))
    scene.links[0].beat(containers=[running(held)])
    assert notes(elsewhere) == notes(ending) == []
