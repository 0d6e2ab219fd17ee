"""One rank of an attempt as a pod."""

import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml

from deploy.onebox.options import REPOSITORY
from portal.execution.desired import AttemptLimit, WantedContainer
from portal.foreign.bounds import BACKSTOP_S
from portal.kubernetes import manifest
from portal.kubernetes.manifest import pod_manifest
from portal.kubernetes.names import pod_name
from tests.builders.kubernetes_pods import GPU, KEY, SITE, TERMS, a_creation, a_wanted_rank
from wire.words import Device

CARDS = (Device("KUBERNETES-0", 81920), Device("KUBERNETES-1", 81920))


def spec_of(rank: WantedContainer) -> dict[str, Any]:
    spec: dict[str, Any] = pod_manifest(a_creation(rank), 0, TERMS, 12)["spec"]
    return spec


def container_of(rank: WantedContainer) -> dict[str, Any]:
    [container] = spec_of(rank)["containers"]
    return dict(container)


def test_a_pod_is_its_attempt_bound_to_its_node() -> None:
    pod = pod_manifest(a_creation(), 0, TERMS, 12)
    assert pod["metadata"]["name"] == pod_name(SITE, KEY, 0)
    assert pod["metadata"]["labels"]["berth/site"] == SITE
    assert pod["metadata"]["annotations"] == {"berth/reply": "12"}
    assert pod["metadata"]["finalizers"] == ["berth/end-reported"]
    assert (pod["spec"]["nodeName"], pod["spec"]["restartPolicy"]) == ("n1", "Never")


def test_it_has_what_was_granted_and_no_more() -> None:
    granted = {"cpu": "1500m", "memory": "512Mi", GPU: "2"}
    resources = container_of(replace(a_wanted_rank(), devices=CARDS))["resources"]
    assert resources == {"requests": granted, "limits": granted}
    assert GPU not in container_of(a_wanted_rank())["resources"]["limits"]


def test_it_has_no_rights_in_the_cluster() -> None:
    spec = spec_of(a_wanted_rank())
    assert spec["automountServiceAccountToken"] is False
    assert spec["securityContext"] == {"seccompProfile": {"type": "RuntimeDefault"}}
    [container] = spec["containers"]
    assert container["securityContext"] == {"allowPrivilegeEscalation": False}


def test_the_cluster_ends_what_outlives_the_portal() -> None:
    limit = AttemptLimit(600, grace_s=30)
    assert spec_of(a_wanted_rank())["activeDeadlineSeconds"] == TERMS.time_limit_s
    limited = spec_of(replace(a_wanted_rank(), limit=limit))
    assert limited["activeDeadlineSeconds"] == 630 + BACKSTOP_S


def test_ranks_find_each_other_by_names_of_pods() -> None:
    ranks = (a_wanted_rank(rank=0, ranks=2), a_wanted_rank(rank=1, ranks=2))
    pod = pod_manifest(a_creation(*ranks, nodes=("n1", "n2")), 1, TERMS, 12)
    [container] = pod["spec"]["containers"]
    environment = {item["name"]: item["value"] for item in container["env"]}
    first = f"{pod_name(SITE, KEY, 0)}.berth.berth-a100.svc"
    assert (environment["MASTER_ADDR"], environment["NODE_RANK"]) == (first, "1")
    assert (pod["spec"]["hostname"], pod["spec"]["subdomain"]) == (pod_name(SITE, KEY, 1), "berth")
    documents = yaml.safe_load_all((REPOSITORY / "deploy/kubernetes-access.yaml").read_text())
    [service] = [each for each in documents if each["kind"] == "Service"]
    assert service["metadata"]["name"] == pod["spec"]["subdomain"]
    wanted = service["spec"]["selector"]
    assert wanted
    assert wanted.items() <= pod["metadata"]["labels"].items()


@pytest.mark.parametrize(
    ("claim", "volume", "mount"),
    [
        ("", {"name": "outputs", "emptyDir": {}}, {"name": "outputs", "mountPath": "/outputs"}),
        (
            "results",
            {"name": "outputs", "persistentVolumeClaim": {"claimName": "results"}},
            {
                "name": "outputs",
                "mountPath": "/outputs",
                "subPath": f"outputs/{KEY.workload}",
            },
        ),
    ],
)
def test_outputs_are_kept_in_a_claim(
    claim: str, volume: dict[str, Any], mount: dict[str, Any]
) -> None:
    terms = replace(TERMS, outputs_claim=claim, pull_secret="login")
    spec = pod_manifest(a_creation(), 0, terms, 12)["spec"]
    assert volume in spec["volumes"]
    assert mount in spec["containers"][0]["volumeMounts"]
    assert spec["imagePullSecrets"] == [{"name": "login"}]


def test_kubernetes_replaces_nothing_in_what_users_write() -> None:
    rank = a_wanted_rank(command=("echo", "$(HOME) $x"), env={"PRICE": "$(5)"})
    container = container_of(rank)
    assert container["command"] == ["echo", "$$(HOME) $$x"]
    assert {"name": "PRICE", "value": "$$(5)"} in container["env"]


def test_an_image_may_bring_its_command() -> None:
    assert "command" not in container_of(a_wanted_rank(command=()))


@pytest.mark.parametrize(
    ("script", "command", "printed"),
    [
        ('echo "$1 of $BERTH_NODE"\n', ("a",), "a of n1\n"),
        ('#!/bin/sh\necho "$1 of $BERTH_NODE"\n', ("a b",), "a b of n1\n"),
        ("#!/usr/bin/env python3\nprint('$x')\n", (), "$x\n"),
    ],
)
def test_scripts_run_as_they_are(
    tmp_path: Path, script: str, command: tuple[str, ...], printed: str
) -> None:
    container = container_of(a_wanted_rank(script=script, command=command))
    argv = [text.replace("$$", "$") for text in container["command"]]
    scratch = str(tmp_path)
    here = [text.replace(f"{manifest.SCRATCH}/program", f"{scratch}/program") for text in argv]
    environment = {item["name"]: item["value"].replace("$$", "$") for item in container["env"]}
    done = subprocess.run(
        here,
        env={"PATH": "/usr/local/bin:/usr/bin:/bin", **environment},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (done.stdout, done.returncode) == (printed, 0), done.stderr
