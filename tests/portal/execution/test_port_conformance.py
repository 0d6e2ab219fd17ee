"""What every back end keeps beside the reports: logs, samples and secrets, each of its own attempts only."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.db import connection

from portal.common.clock import from_millis, now, to_millis
from portal.common.errors import NotFoundError
from portal.execution.logs import GrownLog, LogFile
from portal.execution.report import AttemptKey
from portal.execution.samples import ContainerUse, HostUse, NodeSample
from portal.execution.secrets import StartSecret
from portal.telemetry.tables import NODE, RAW, WORK, SeriesKind
from portal.workloads.logs.files import events_path, excess_path, log_path
from portal.workloads.logs.marks import iterate_marks, marks_path
from portal.workloads.models import Allocation, Workload
from tests.builders.machines import an_image
from tests.builders.scenes import Scene, a_scene
from tests.portal.execution.ports import PORTS, PortsUnderTest
from tests.rest import API, browser, json_of
from wire.log_marks import LogMark

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.usefixtures("redis_url"),
    pytest.mark.parametrize("backend", PORTS, ids=lambda row: row.name),
]


@pytest.fixture
def scene(tmp_path: Path, set_site: Callable[..., None]) -> Scene:
    set_site(storage_dir=tmp_path)
    return a_scene(nodes=2)


def key_of(held: Allocation) -> AttemptKey:
    return held.wire_name, held.epoch


def test_log_grows_by_what_is_new_and_a_gap_is_sent_again(
    backend: PortsUnderTest, scene: Scene, tmp_path: Path
) -> None:
    [held] = scene.place(scene.work())

    def send(offset: int, data: bytes, *marks: LogMark) -> int:
        grown = GrownLog(*key_of(held), offset=offset, data=data, marks=marks)
        return backend.store_log(scene.nodes[0].pk, grown)

    where = (tmp_path, held.workload_id, 0, held.epoch)
    assert send(0, b"first\n", LogMark(0, 1_000)) == 6
    assert send(3, b"st\nsecond\n", LogMark(6, 2_000)) == 13
    assert send(40, b"third\n") == 13
    assert send(0, b"") == 13, "no bytes ask how much there is"
    assert log_path(*where).read_bytes() == b"first\nsecond\n"
    assert list(iterate_marks(marks_path(*where), 0)) == [(0, 1_000), (6, 2_000)]


def test_metrics_lines_have_files_of_their_own(
    backend: PortsUnderTest, scene: Scene, tmp_path: Path
) -> None:
    [held] = scene.place(scene.work())
    where = (tmp_path, held.workload_id, 0, held.epoch)
    for file in LogFile:
        grown = GrownLog(*key_of(held), offset=0, data=file.value.encode(), file=file)
        assert backend.store_log(scene.nodes[0].pk, grown) == len(file.value)
    stored = [path(*where).read_text() for path in (log_path, excess_path, events_path)]
    assert stored == ["text", "excess", "events"]


def test_log_of_another_node_is_taken_and_not_stored(
    backend: PortsUnderTest, scene: Scene, tmp_path: Path
) -> None:
    [held] = scene.place(scene.work())
    grown = GrownLog(*key_of(held), offset=0, data=b"not mine")
    assert backend.store_log(scene.nodes[1].pk, grown) == 8
    assert not log_path(tmp_path, held.workload_id, 0, held.epoch).exists()


def recorded(kind: SeriesKind) -> list[dict[str, Any]]:
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT * FROM {kind.table_name(RAW)}")
        names = [column.name for column in cursor.description]
        return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]


def test_samples_are_of_the_node_and_of_its_own_attempts(
    backend: PortsUnderTest, scene: Scene
) -> None:
    [held] = scene.place(scene.work())
    name, epoch = key_of(held)
    at = to_millis(now())
    used = ContainerUse(name, epoch, cpu_ms=5, memory_mib=7, gpu_utilisation_pct=80)
    later = ContainerUse(name, epoch + 1, cpu_ms=5, memory_mib=7)
    sample = NodeSample(at, HostUse(cpus=8, memory_used_mib=9), containers=(used, later))

    backend.record_samples(scene.nodes[0].pk, [sample])
    backend.record_samples(scene.nodes[1].pk, [NodeSample(at, containers=(used,))])

    [work] = recorded(WORK)
    assert (work["series"], work["at"], work["memory_mib"]) == (held.pk, from_millis(at), 7)
    assert work["gpu_utilisation_pct"] == 80
    assert work["rx_bytes"] is None, "what is not measured is empty"
    [host] = recorded(NODE)
    assert (host["series"], host["cpus"], host["memory_used_mib"]) == (scene.nodes[0].pk, 8, 9)


def started_with_secret(scene: Scene) -> Allocation:
    an_image("python")
    owner = browser(scene.owner)
    json_of(owner.post(f"{API}/secrets", {"name": "hub", "value": "s3cret"}, format="json"), 201)
    spec = {
        "name": "fine-tune",
        "group": str(scene.group.pk),
        "pool": str(scene.pool.pk),
        "image": "python",
        "command": ["true"],
        "cpu_milli": 1000,
        "memory_mib": 1024,
        "gpus": 1,
        "secrets": [{"name": "hub", "as": "env", "target": "HUB_TOKEN"}],
    }
    made = json_of(owner.post(f"{API}/jobs", spec, format="json"), 202)
    work = Workload.objects.get(pk=made["id"])
    [held] = scene.place(work, scene.placement(cards=(0,)))
    scene.links[0].beat()
    return held


def test_secrets_go_to_the_node_that_starts_the_attempt(
    backend: PortsUnderTest, scene: Scene
) -> None:
    held = started_with_secret(scene)
    name, epoch = key_of(held)

    revealed = backend.reveal_secrets(scene.nodes[0].pk, (name, epoch))

    assert list(revealed) == [StartSecret("env", "HUB_TOKEN", "s3cret")]
    assert "s3cret" not in repr(revealed)


@pytest.mark.parametrize(("node", "later"), [(1, 0), (0, 1)], ids=["another node", "attempt"])
def test_secrets_go_nowhere_else(
    backend: PortsUnderTest, scene: Scene, node: int, later: int
) -> None:
    name, epoch = key_of(started_with_secret(scene))
    with pytest.raises(NotFoundError):
        backend.reveal_secrets(scene.nodes[node].pk, (name, epoch + later))
