"""Objects of the API as values: amounts, nodes, pods; and names of pods."""

from dataclasses import replace
from typing import Any
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from portal.foreign.attempts import JobKey
from portal.kubernetes.names import parse_pod_name, pod_name
from portal.kubernetes.reading import (
    UnreadableObjectError,
    read_nodes,
    read_pods,
    read_quantity,
)
from portal.kubernetes.values import ContainerState, KubeNode
from tests.builders.kubernetes_pods import GPU, KEY, SITE, a_node_object, a_pod_object

NODE = KubeNode("n1", "10.0.0.1", 7910, 16000, 4)


@pytest.mark.parametrize(
    ("text", "amount"),
    [("8", 8), ("500m", "0.5"), ("32Gi", 32 * 2**30), ("2k", 2000), ("1e3", 1000), ("0", 0)],
)
def test_amounts_have_units(text: str, amount: Any) -> None:
    assert read_quantity(text) == type(read_quantity(text))(amount)


@pytest.mark.parametrize("text", ["", "many", "3Xi"])
def test_what_is_no_amount_is_not_guessed(text: str) -> None:
    with pytest.raises(UnreadableObjectError):
        read_quantity(text)


def test_a_node_has_what_it_can_give() -> None:
    assert read_nodes([a_node_object()], GPU, "") == {"n1": NODE}
    assert read_nodes([a_node_object()], "example.com/npu", "")["n1"].gpus == 0


def test_labels_name_the_model_and_its_memory() -> None:
    labels = {"nvidia.com/gpu.product": "A100-SXM4-80GB", "nvidia.com/gpu.memory": "81920"}
    [node] = read_nodes([a_node_object(labels)], GPU, "").values()
    assert (node.model, node.gpu_memory_mib) == ("A100-SXM4-80GB", 81920)


@pytest.mark.parametrize(
    ("item", "changed"),
    [
        (a_node_object(ready="Unknown"), {"away": "KubeletNotReady"}),
        (a_node_object(unschedulable=True), {"away": "SchedulingDisabled"}),
        (
            a_node_object(taints=[{"key": "node.kubernetes.io/out-of-service"}]),
            {"is_lost": True},
        ),
    ],
    ids=["not ready", "cordoned", "out of service"],
)
def test_a_node_that_takes_nothing_is_known(item: dict[str, Any], changed: dict[str, Any]) -> None:
    assert read_nodes([item], GPU, "") == {"n1": replace(NODE, **changed)}


@pytest.mark.parametrize(
    ("selector", "is_selected"),
    [("", True), ("pool=a", True), ("pool=b", False), ("pool=a,zone=z", False)],
)
def test_a_selector_names_all_labels(selector: str, is_selected: bool) -> None:
    [node] = read_nodes([a_node_object({"pool": "a"})], GPU, selector).values()
    assert node.is_selected is is_selected


def test_a_pod_without_words_of_its_kubelet_is_pending() -> None:
    [pod] = read_pods([a_pod_object()], SITE)
    assert (pod.key, pod.rank, pod.node, pod.phase) == (KEY, 0, "n1", "Pending")
    assert (pod.reply, pod.container, pod.is_deleted) == (12, None, False)
    assert pod.finalizers == ("berth/end-reported",)
    assert pod.created_at == 1_800_000_000


@pytest.mark.parametrize(
    ("state", "container"),
    [
        (
            {"waiting": {"reason": "ErrImagePull", "message": "no such image"}},
            ContainerState("waiting", "ErrImagePull", "no such image"),
        ),
        (
            {"running": {"startedAt": "2027-01-15T08:00:01Z"}},
            ContainerState("running", started_at=1_800_000_001),
        ),
        (
            {
                "terminated": {
                    "exitCode": 3,
                    "reason": "Error",
                    "startedAt": "2027-01-15T08:00:01Z",
                    "finishedAt": "2027-01-15T10:00:02+02:00",
                }
            },
            ContainerState(
                "terminated",
                "Error",
                exit_code=3,
                started_at=1_800_000_001,
                ended_at=1_800_000_002,
            ),
        ),
    ],
    ids=["waiting", "running", "terminated"],
)
def test_the_state_of_the_container_is_read(
    state: dict[str, Any], container: ContainerState
) -> None:
    others = {"name": "sidecar", "state": {"running": {}}}
    item = a_pod_object(containerStatuses=[others, {"name": "main", "state": state}])
    [pod] = read_pods([item], SITE)
    assert pod.container == container


def test_a_deletion_has_its_grace() -> None:
    item = a_pod_object()
    item["metadata"] |= {"deletionTimestamp": "2027-01-15T08:00:00Z"}
    item["metadata"] |= {"deletionGracePeriodSeconds": 30}
    [pod] = read_pods([item], SITE)
    assert (pod.is_deleted, pod.grace_s) == (True, 30)


@given(st.uuids(), st.integers(min_value=1, max_value=9999), st.integers(0, 999))
def test_name_of_a_pod_is_read_back(workload: UUID, epoch: int, rank: int) -> None:
    key = JobKey(workload, epoch)
    name = pod_name(SITE, key, rank)
    assert parse_pod_name(SITE, name) == (key, rank)
    assert parse_pod_name("ffffffff", name) is None
    assert len(name) <= 63


@pytest.mark.parametrize("name", ["", "coredns-5d78c9869d-abcde", "berth-0000abcd-1-2"])
def test_other_names_are_nobodys(name: str) -> None:
    assert parse_pod_name(SITE, name) is None
