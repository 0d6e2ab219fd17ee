"""A pool becomes a partition: what is looked at, what speaks against it, and what its nodes are then."""

from collections.abc import Callable
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from portal.audit.models import AuditEvent
from portal.common.actor import Actor
from portal.common.errors import ConflictError
from portal.foreign.nodes import unjoined_names
from portal.inventory.models import Node, Pool
from portal.slurm import joining
from portal.slurm.client import SlurmClient
from portal.slurm.models import SlurmPartition
from portal.slurm.nodes import cards_of, columns_of
from portal.slurm.values import ClusterNode, PartitionTerms
from tests.builders.machines import a_node, a_pool
from tests.slurm.cluster import PARTITION
from tests.slurm.site import ClusterUnderTest

pytestmark = pytest.mark.django_db
COLUMNS = {"partition": PARTITION, "work_dir": "/shared", "gpu_memory_mib": 81920}


def client_of(cluster: ClusterUnderTest) -> SlurmClient:
    where = str(cluster.parts.work_dir)
    return SlurmClient(cluster, PartitionTerms("0000abcd", PARTITION, where, 3600))


def test_a_look_finds_nothing_against_a_sound_cluster(cluster: ClusterUnderTest) -> None:
    found = {
        item.what: (item.is_good, item.found)
        for item in joining.examine_partition(client_of(cluster))
    }
    assert [what for what, (is_good, _) in found.items() if not is_good] == []
    assert found["version"][1] == "slurm-wlm 22.05.8"
    assert found["nodes"][1] == "2 nodes, 8 GPUs"
    assert found["submission"][1] == "would be taken on n1"
    assert cluster.run(("squeue", "--noheader", "--me", "--format=%j")) == b""


def test_a_look_names_what_is_away(cluster: ClusterUnderTest) -> None:
    cluster.unheard |= {"sacct"}
    bad = [item for item in joining.examine_partition(client_of(cluster)) if not item.is_good]
    assert [(item.what, item.found) for item in bad] == [("accounting", "cut")]


def test_a_joined_pool_is_run_by_slurm() -> None:
    pool = a_pool()
    partition = joining.join(Actor.system("console"), pool, COLUMNS)
    pool.refresh_from_db()
    assert (pool.backend, partition.partition) == ("slurm", PARTITION)
    joining.join(Actor.system("console"), pool, {**COLUMNS, "qos": "long"})
    assert SlurmPartition.objects.get().qos == "long"
    event = AuditEvent.objects.filter(action="pool.join_slurm").first()
    assert event is not None
    assert event.params["partition"] == PARTITION


def test_shared_pools_and_pools_with_nodes_are_refused() -> None:
    actor = Actor.system("console")
    with pytest.raises(ConflictError) as shared:
        joining.join(actor, a_pool(slices=4), COLUMNS)
    with pytest.raises(ConflictError) as inhabited:
        joining.join(actor, a_node(a_pool()).pool, COLUMNS)
    codes = (shared.value.code, inhabited.value.code)
    assert codes == ("cluster_pool_is_shared", "cluster_pool_has_nodes")


def test_command_changes_nothing_when_something_speaks_against_it(tmp_path: Path) -> None:
    pool, said = a_pool(), StringIO()
    where = (f"--work-dir={tmp_path}", "--gpu-memory-mib=81920", "--partition=gpu")
    nowhere = f"--conf={tmp_path}/slurm.conf"
    with pytest.raises(CommandError, match="nothing was changed"):
        call_command("join_slurm", pool.name, *where, nowhere, stdout=said)
    assert "FAIL nodes" in said.getvalue()
    assert Pool.objects.get(pk=pool.pk).backend == "agents"


def test_command_names_an_unknown_pool() -> None:
    where = ("--work-dir=/x", "--gpu-memory-mib=1", "--partition=gpu")
    with pytest.raises(CommandError, match="there is no pool nowhere"):
        call_command("join_slurm", "nowhere", *where)


@pytest.mark.parametrize(
    ("state", "reason", "details"),
    [
        ("idle", "", []),
        ("mixed", "", []),
        ("down", "disk broke", ["down: disk broke"]),
        ("drained", "", ["drained"]),
        ("something_of_26.05", "", ["something_of_26.05"]),
    ],
)
def test_a_node_that_takes_no_jobs_has_a_fault(state: str, reason: str, details: list[str]) -> None:
    node = ClusterNode("n1", "10.0.0.1", state, 8, 16000, {}, reason)
    faults = columns_of(node)["faults"]
    assert [fault["detail"] for fault in faults] == details
    assert all(fault["is_blocking"] for fault in faults)


def test_gpus_of_several_types_are_numbered_on() -> None:
    node = ClusterNode("n1", "a", "idle", 8, 16000, {"h100": 1, "a100": 2})
    cards = [(card.uuid, card.index, card.model) for card in cards_of("0000abcd", node, 81920)]
    assert cards == [
        ("SLURM-0000abcd-n1-0", 0, "a100"),
        ("SLURM-0000abcd-n1-1", 1, "a100"),
        ("SLURM-0000abcd-n1-2", 2, "h100"),
    ]


def test_a_name_that_another_pool_has_is_left_out(
    cluster: ClusterUnderTest, set_site: Callable[..., None]
) -> None:
    taken = a_node(a_pool(), "n1")
    mine = a_pool()
    assert unjoined_names(mine, (node.name for node in client_of(cluster).nodes())) == ["n1"]
    assert Node.objects.get(pk=taken.pk).pool_id != mine.pk
