"""A pool becomes nodes of a cluster: what is looked at, what speaks against it, and what is stored of it."""

from io import StringIO
from pathlib import Path
from typing import Any

import pytest
import yaml
from django.core.management import CommandError, call_command

from portal.audit.models import AuditEvent
from portal.common import encryption
from portal.common.actor import Actor
from portal.common.errors import ConflictError
from portal.config.stored_secrets import are_readable, encrypt_again
from portal.inventory.models import Pool
from portal.kubernetes import joining
from portal.kubernetes.access import ClusterAccess
from portal.kubernetes.client import KubernetesClient
from portal.kubernetes.models import KubernetesCluster
from portal.kubernetes.nodes import cards_of, columns_of
from portal.kubernetes.records import access_of
from portal.kubernetes.values import PodTerms
from tests.builders.kubernetes_pods import a_cluster_node
from tests.builders.machines import a_node, a_pool
from tests.kubernetes.pretended import PretendedKubernetes
from tests.kubernetes.site import CLAIM, NAMESPACE, RESOURCE, ClusterUnderTest, KubernetesSite

pytestmark = pytest.mark.django_db
ACCESS = ClusterAccess("https://10.0.0.1:6443", token="secret")
COLUMNS: dict[str, Any] = {
    "namespace": NAMESPACE,
    "resource": RESOURCE,
    "gpu_memory_mib": 81920,
}
TERMS = PodTerms("0000abcd", NAMESPACE, RESOURCE, 3600, CLAIM)


def found_of(cluster: ClusterUnderTest) -> dict[str, tuple[bool, str]]:
    client = KubernetesClient(cluster, TERMS)
    return {item.what: (item.is_good, item.found) for item in joining.examine_cluster(client)}


def test_a_look_finds_nothing_against_a_sound_cluster(cluster: ClusterUnderTest) -> None:
    found = found_of(cluster)
    assert [what for what, (is_good, _) in found.items() if not is_good] == []
    assert found["version"][1].startswith("1.")
    assert found["rights"][1] == "all that are needed"
    assert found["nodes"][1].endswith(f"x {RESOURCE}")
    assert found["outputs"][1] == f"{CLAIM}: Bound"
    assert found["pod"][1] == "would be taken on n1"
    assert KubernetesClient(cluster, TERMS).pods() == ()


def test_each_right_that_is_lacking_is_named(pretended: PretendedKubernetes) -> None:
    pretended.rights = lambda right: right["verb"] not in ("patch", "delete")
    found = found_of(ClusterUnderTest(pretended, pretended))
    assert found["rights"] == (False, "lacks: patch pods, delete pods")


def test_a_look_names_what_is_away(pretended: PretendedKubernetes) -> None:
    for name in ("n1", "n2"):
        pretended.nodes[name]["status"]["allocatable"].pop(RESOURCE)
    found = found_of(ClusterUnderTest(pretended, pretended))
    assert found["nodes"] == (False, f"0 nodes, 0 x {RESOURCE}")
    assert found["pod"] == (False, "no node to name")
    pretended.kill("apiserver")
    found = found_of(ClusterUnderTest(pretended, pretended))
    assert {what for what, (is_good, _) in found.items() if is_good} == set()


def joined(pool: Pool, uid: str = "u", **columns: Any) -> KubernetesCluster:
    return joining.join(Actor.system("console"), pool, ACCESS, uid, COLUMNS | columns)


def test_a_joined_pool_is_run_by_kubernetes() -> None:
    pool = a_pool()
    cluster = joined(pool)
    pool.refresh_from_db()
    assert (pool.backend, cluster.server) == ("kubernetes", ACCESS.server)
    joined(pool, pull_secret="login")
    assert KubernetesCluster.objects.get().pull_secret == "login"
    event = AuditEvent.objects.filter(action="pool.join_kubernetes").first()
    assert event is not None
    assert event.params == {"name": pool.name, "server": ACCESS.server, "namespace": NAMESPACE}


def test_its_access_is_kept_as_a_secret() -> None:
    cluster = joined(a_pool())
    assert "secret" not in cluster.encrypted_access
    assert access_of(cluster) == ACCESS
    assert encrypt_again() == 1
    again = KubernetesCluster.objects.get()
    assert again.encrypted_access != cluster.encrypted_access
    assert access_of(again) == ACCESS
    KubernetesCluster.objects.update(encrypted_access=encryption.encrypt("x")[:-4])
    assert not are_readable()


def test_shared_pools_and_pools_with_nodes_are_refused() -> None:
    with pytest.raises(ConflictError) as shared:
        joined(a_pool(slices=4))
    with pytest.raises(ConflictError) as inhabited:
        joined(a_node(a_pool()).pool)
    codes = (shared.value.code, inhabited.value.code)
    assert codes == ("cluster_pool_is_shared", "cluster_pool_has_nodes")


def test_a_pool_with_work_stays_where_it_is(site: KubernetesSite) -> None:
    job = site.work()
    site.start(job)
    with pytest.raises(ConflictError) as refused:
        joined(site.scene.pool, uid="another")
    assert refused.value.code == "cluster_pool_has_work"
    joined(site.scene.pool, uid=f"uid-of-{NAMESPACE}", pull_secret="login")


def a_kubeconfig(folder: Path, **user: str) -> str:
    """Write a kubeconfig of a cluster that nobody answers for."""
    text = {
        "current-context": "here",
        "contexts": [{"name": "here", "context": {"cluster": "c", "user": "u"}}],
        "clusters": [{"name": "c", "cluster": {"server": "https://127.0.0.1:9"}}],
        "users": [{"name": "u", "user": user}],
    }
    path = folder / "kubeconfig"
    path.write_text(yaml.safe_dump(text), encoding="utf-8")
    return str(path)


def test_command_changes_nothing_when_something_speaks_against_it(tmp_path: Path) -> None:
    pool, said = a_pool(), StringIO()
    where = (f"--kubeconfig={a_kubeconfig(tmp_path, token='secret')}", "--namespace=x")
    with pytest.raises(CommandError, match="nothing was changed"):
        call_command("join_kubernetes", pool.name, *where, "--gpu-memory-mib=1", stdout=said)
    assert "FAIL nodes" in said.getvalue()
    assert "secret" not in said.getvalue()
    assert Pool.objects.get(pk=pool.pk).backend == "agents"


@pytest.mark.parametrize(
    ("pool", "user", "words"),
    [
        ("nowhere", {"token": "x"}, "there is no pool nowhere"),
        ("", {}, "neither a token nor a client certificate"),
    ],
)
def test_command_names_what_it_cannot_use(
    tmp_path: Path, pool: str, user: dict[str, str], words: str
) -> None:
    name = pool or a_pool().name
    where = (f"--kubeconfig={a_kubeconfig(tmp_path, **user)}", "--namespace=x")
    with pytest.raises(CommandError, match=words):
        call_command("join_kubernetes", name, *where, "--gpu-memory-mib=1")


@pytest.mark.parametrize(
    ("node", "codes"),
    [
        (a_cluster_node(), []),
        (a_cluster_node(away="SchedulingDisabled"), ["kubernetes_node_away"]),
        (a_cluster_node(is_lost=True), ["kubernetes_node_away"]),
        (a_cluster_node(is_selected=False), ["kubernetes_node_not_selected"]),
        (None, ["kubernetes_node_gone"]),
    ],
)
def test_a_node_that_takes_no_work_has_a_fault(node: Any, codes: list[str]) -> None:
    faults = columns_of(node)["faults"]
    assert [fault["code"] for fault in faults] == codes
    assert all(fault["is_blocking"] for fault in faults)


def test_labels_outweigh_what_was_given_for_memory() -> None:
    [plain, *_] = cards_of("0000abcd", a_cluster_node(), 81920)
    [named] = cards_of("0000abcd", a_cluster_node(gpus=1, model="L4", gpu_memory_mib=23034), 81920)
    assert (plain.uuid, plain.model, plain.memory_mib) == ("KUBERNETES-0000abcd-n1-0", "gpu", 81920)
    assert (named.model, named.memory_mib) == ("L4", 23034)
    assert cards_of("0000abcd", None, 81920) == ()
