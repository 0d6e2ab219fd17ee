"""What a rank is told about itself and the others, whatever runs it."""

import json
from typing import Any

import pytest

from nodeagent.launch.ranks import (
    RankRendezvous,
    rank_argv,
    rank_environment,
    rank_files,
    render_hostfile,
    rendezvous_on_nodes,
)
from nodeagent.ports import ContainerOrder
from tests.fakes.work import an_order
from wire.words import Device

TRAIN = ("python", "train.py", "--lr", "1")
CARDS = (Device("GPU-1", 1024), Device("GPU-2", 1024))
NOTICE_DIR = "/berth/notices"
HOSTS = ("10.0.0.7", "10.0.0.8", "10.0.0.8")


def a_rank(rank: int = 2, **spec: Any) -> ContainerOrder:
    given = {"ranks": 3, "hosts": HOSTS, "master_address": HOSTS[0], "env": {}, **spec}
    return an_order(TRAIN, rank=rank, **given)


def env_of(order: ContainerOrder, **meeting: str) -> dict[str, str]:
    return rank_environment(order, rendezvous_on_nodes(order.spec, **meeting))


def test_the_whole_rendezvous_environment() -> None:
    order = a_rank(ranks_here=2, local_rank=1, restart=4)
    env = env_of(order, hostfile="/berth/notices/hostfile")

    port = env.pop("MASTER_PORT")
    assert 20_000 <= int(port) < 30_000
    assert env.pop("PET_MASTER_PORT") == port
    assert env == {
        "RANK": "2",
        "WORLD_SIZE": "3",
        "LOCAL_RANK": "0",
        "LOCAL_WORLD_SIZE": "1",
        "GROUP_RANK": "2",
        "GROUP_WORLD_SIZE": "3",
        "NODE_RANK": "2",
        "NNODES": "3",
        "MASTER_ADDR": "10.0.0.7",
        "TORCHELASTIC_RESTART_COUNT": "4",
        "PET_NNODES": "3",
        "PET_NODE_RANK": "2",
        "PET_NPROC_PER_NODE": "1",
        "PET_MASTER_ADDR": "10.0.0.7",
        "PET_RDZV_BACKEND": "static",
        "PET_MAX_RESTARTS": "0",
        "BERTH_RESTART": "4",
        "BERTH_HOSTS": "10.0.0.7,10.0.0.8,10.0.0.8",
        "BERTH_HOSTFILE": "/berth/notices/hostfile",
        "BERTH_RANKS_HERE": "2",
        "BERTH_RANK_HERE": "1",
    }


def test_all_ranks_of_an_attempt_meet_at_one_place_and_the_next_attempt_at_another() -> None:
    def place(rank: int, epoch: int = 1) -> tuple[str, str]:
        order = an_order(TRAIN, rank=rank, epoch=epoch, ranks=3, hosts=HOSTS, env={})
        env = rank_environment(order, RankRendezvous(HOSTS))
        return env["MASTER_ADDR"], env["MASTER_PORT"]

    assert place(0) == place(1) == place(2)
    assert place(0) != place(0, epoch=2)


def test_one_rank_alone_meets_itself() -> None:
    env = env_of(an_order(TRAIN, env={}))

    assert (env["MASTER_ADDR"], env["WORLD_SIZE"], env["BERTH_HOSTS"]) == (
        "127.0.0.1",
        "1",
        "127.0.0.1",
    )


def test_an_environment_is_no_rank() -> None:
    order = an_order((), kind="environment")

    assert rank_environment(order, RankRendezvous(("127.0.0.1",))) == {}
    assert rank_argv(order, ("jupyter-lab",), NOTICE_DIR) == ("jupyter-lab",)


def test_the_interface_is_named_only_where_it_is_configured_and_the_work_names_none() -> None:
    assert "GLOO_SOCKET_IFNAME" not in env_of(a_rank())
    env = env_of(a_rank(env={"NCCL_SOCKET_IFNAME": "ib0"}), interface="bond0")
    assert env["GLOO_SOCKET_IFNAME"] == env["OMPI_MCA_btl_tcp_if_include"] == "bond0"
    assert "NCCL_SOCKET_IFNAME" not in env


@pytest.mark.parametrize(("devices", "workers"), [((), "1"), (CARDS, "2"), (CARDS[:1] * 3, "1")])
def test_a_launcher_starts_one_process_for_each_card(
    devices: tuple[Device, ...], workers: str
) -> None:
    order = an_order(TRAIN, devices=devices, launcher="torchrun", env={})

    assert env_of(order)["PET_NPROC_PER_NODE"] == workers
    assert rank_argv(order, TRAIN, NOTICE_DIR) == (
        *("sh", "/berth/notices/launcher", "python3", "torch"),
        *("python3", "-m", "torch.distributed.run", "--no-python", *TRAIN),
    )


def test_without_a_launcher_the_command_is_the_users_own() -> None:
    assert rank_argv(a_rank(), TRAIN, NOTICE_DIR) == TRAIN


def test_mpirun_numbers_its_processes_itself_and_finds_the_ranks_by_name() -> None:
    order = a_rank(launcher="mpi")
    files = rank_files(order, rendezvous_on_nodes(order.spec))

    assert rank_argv(order, TRAIN, NOTICE_DIR) == (
        *("sh", "/berth/notices/launcher", "mpirun", ""),
        *("sh", "/berth/notices/mpi", "run", *TRAIN),
    )
    assert files["hostfile"] == "rank-0 slots=1\nrank-1 slots=1\nrank-2 slots=1\n"
    assert files["mpi"].startswith("#!/bin/sh")
    assert env_of(order).keys().isdisjoint({"RANK", "LOCAL_RANK", "WORLD_SIZE"})
    assert env_of(order)["NODE_RANK"] == "2"


def test_mpirun_starts_where_work_is_root() -> None:
    """It refuses, unless both variables are set."""
    both = ("OMPI_ALLOW_RUN_AS_ROOT", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM")

    assert [env_of(a_rank(launcher="mpi")).get(name) for name in both] == ["1", "1"]
    assert env_of(a_rank()).keys().isdisjoint(both)


@pytest.mark.parametrize(
    ("launcher", "variable"), [("ray", "RAY_ADDRESS"), ("dask", "DASK_SCHEDULER_ADDRESS")]
)
def test_a_cluster_has_two_ports_of_rank_0_and_its_command_no_rank(
    launcher: str, variable: str
) -> None:
    order = a_rank(launcher=launcher, cluster_token="secret")
    env = env_of(order)
    settings = json.loads(rank_files(order, rendezvous_on_nodes(order.spec))["cluster.json"])

    argv = rank_argv(order, TRAIN, NOTICE_DIR)
    assert argv[:3] == ("sh", "/berth/notices/launcher", "python3")
    assert argv[4:] == ("python3", "/berth/notices/cluster.py", launcher, *TRAIN)
    assert env[variable].removeprefix("tcp://") == f"10.0.0.7:{env['MASTER_PORT']}"
    assert (settings["number"], settings["hosts"]) == (2, list(HOSTS))
    assert settings["port"] == int(env["MASTER_PORT"]) != settings["join_port"]
    assert 20_000 <= settings["join_port"] < 30_000
    assert env["BERTH_CLUSTER_TOKEN"] == "secret"
    assert "secret" not in json.dumps(settings)
    assert env.keys().isdisjoint({"RANK", "LOCAL_RANK", "WORLD_SIZE"})


def test_ray_reports_no_usage_and_has_no_dashboard_unless_asked() -> None:
    def started(**spec: Any) -> tuple[str, list[str]]:
        order = a_rank(rank=0, launcher="ray", **spec)
        files = rank_files(order, rendezvous_on_nodes(order.spec))
        (command,) = json.loads(files["cluster.json"])["commands"]
        return env_of(order)["RAY_USAGE_STATS_ENABLED"], command

    usage, command = started()
    assert (usage, "--include-dashboard=false" in command) == ("0", True)
    usage, command = started(env={"RAY_USAGE_STATS_ENABLED": "1"}, ports=(8265,))
    assert (usage, "--include-dashboard=true" in command) == ("1", True)
    assert {"--dashboard-host=127.0.0.1", "--dashboard-port=8265"} <= set(command)


def test_list_of_hosts_has_a_slot_for_each_card() -> None:
    order = an_order(TRAIN, devices=CARDS, ranks=2, hosts=("a", "b"), env={})

    assert render_hostfile(order, rendezvous_on_nodes(order.spec)) == "a slots=2\nb slots=2\n"
