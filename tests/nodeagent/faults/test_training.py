"""A training of two ranks of PyTorch on two hosts with an engine each: it goes on after one was killed."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from portal.catalog.models import Image
from portal.workloads.models import Workload
from tests.builders.datasets import a_dataset
from tests.builders.workloads import a_workload
from tests.nodeagent.docker.daemon.daemon import Daemon
from tests.nodeagent.faults.engines import IMAGE, engines_on
from tests.nodeagent.faults.hosts import ADDRESSES, Host
from tests.nodeagent.faults.site import SLOWLY_S, Site
from tests.training import TRAIN, assert_gone_on, starts_of, steps_of
from tests.training_images import torch_site
from tests.waiting import PATIENCE_S, wait_until

pytestmark = [pytest.mark.docker]


@pytest.fixture
def engines(hosts: list[Host]) -> Iterator[tuple[Daemon, Daemon]]:
    """An engine on each host."""
    with engines_on(hosts) as engines:
        yield engines


def test_gloo_ranks_on_two_engines_meet_and_go_on_from_their_checkpoint(
    engines: tuple[Daemon, Daemon], site: Site, tmp_path: Path
) -> None:
    shared = tmp_path / "shared"
    shared.mkdir()
    for number, engine in enumerate(engines):
        site.agent(
            number,
            engine.url,
            docker={"gang_network": "host"},  # over the interface that has the node's address
            advertise_address=ADDRESSES[number],
            storage_dir=str(shared),
            datasets_dir=str(torch_site().parent),
        )
    work = a_training(site)
    outputs = shared / "outputs" / str(work.pk)
    # Both ranks import PyTorch at the same time, on whatever else is busy here.
    wait_until(lambda: len(steps_of(outputs, 0)) > 10, within_s=3 * PATIENCE_S)
    wait_until(lambda: Workload.objects.get(pk=work.pk).checkpointed_at, every_s=SLOWLY_S)
    victim = kill_rank(engines, f"{work.pk.hex}.1")
    wait_until(
        lambda: Workload.objects.get(pk=work.pk).finished_at,
        within_s=3 * PATIENCE_S,
        every_s=SLOWLY_S,
    )

    work.refresh_from_db()
    assert (work.state, work.retries, work.epoch) == ("succeeded", 1, 2)
    assert_gone_on(outputs)
    for attempt in range(2):
        assert {starts_of(outputs, rank)[attempt][3] for rank in range(2)} == site.agents.keys()
    assert victim in site.agents


def a_training(site: Site) -> Workload:
    """Queue two ranks that need a card each, so that there is one on each host."""
    a_dataset("torch", torch_site().name, everybody=True)
    work = a_workload(site.owner, site.group, site.pool, gpus=1, replicas=2)
    Image.objects.filter(pk=work.image_id).update(reference=IMAGE)
    Workload.objects.filter(pk=work.pk).update(
        spec={"script": TRAIN, "env": {"PYTHONPATH": "/data/torch"}, "datasets": ["torch@1"]},
        restart={"rule": "on_failure"},
        retries_max=1,
    )
    return work


def kill_rank(engines: tuple[Daemon, Daemon], allocation: str) -> str:
    """Kill the one container of a rank that any of the engines has; return its node."""
    nodes = []
    own: dict[str, str | list[str] | bool] = {"label": f"berth.allocation={allocation}"}
    for engine in engines:
        with engine.client() as client:
            for found in client.containers.list(filters=own):
                found.kill("SIGKILL")
                nodes.append(found.labels["berth.node"])
    (node,) = nodes
    return str(node)
