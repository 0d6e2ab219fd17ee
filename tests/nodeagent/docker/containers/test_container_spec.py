"""What the engine is asked for: hardening, limits, mounts, cards. No engine needed."""

from dataclasses import replace
from pathlib import Path

import pytest

from nodeagent.core.state import ContainerKey
from nodeagent.disk.container_dir import AppEndpoint
from nodeagent.docker.containers.container_spec import (
    LAB_DIR,
    DockerRuntimeSettings,
    container_name,
    create_options,
)
from nodeagent.ports import Mount
from tests.fakes.work import SLEEPS, an_order
from wire.words import Device

SETTINGS = DockerRuntimeSettings("gpu-1", Path("/srv/berth"), "127.0.0.1", "bridge", 1000, 8_000)
NOTEBOOK = AppEndpoint("127.0.0.1", 40_000, "/e/w/", "secret-token")


def test_every_container_is_hardened() -> None:
    options = create_options(SETTINGS, an_order(SLEEPS), None, ())
    assert options["cap_drop"] == ["ALL"]
    assert options["security_opt"] == ["no-new-privileges"]
    assert options["privileged"] is False
    assert options["user"] == "1000:1000"
    assert options["pids_limit"] == 4096
    assert options["restart_policy"] == {"Name": "no"}
    assert "network_mode" not in options


def test_limits_are_those_of_the_order_and_never_more_than_the_host_has() -> None:
    options = create_options(SETTINGS, an_order(SLEEPS, cpu_milli=96_000), None, ())
    assert options["mem_limit"] == options["memswap_limit"] == "64m"
    assert options["nano_cpus"] == 8_000_000_000


def test_name_and_labels_identify_the_attempt() -> None:
    options = create_options(SETTINGS, an_order(SLEEPS, epoch=7), None, ())
    assert (
        options["name"]
        == container_name("gpu-1", ContainerKey("job.0", 7))
        == "berth-gpu-1-job.0-7"
    )
    assert options["labels"]["berth.epoch"] == "7"
    assert options["labels"]["berth.node"] == "gpu-1"


def test_only_what_was_resolved_is_mounted_and_in_private() -> None:
    folder = Mount(Path("/srv/berth/outputs/job"), "/outputs", is_read_only=False)
    options = create_options(SETTINGS, an_order(SLEEPS), None, (folder,))
    assert [dict(item) for item in options["mounts"]] == [
        {
            "Target": "/outputs",
            "Source": "/srv/berth/outputs/job",
            "Type": "bind",
            "ReadOnly": False,
            "BindOptions": {"Propagation": "rprivate"},
        }
    ]


def test_c1_what_an_image_sets_of_the_reserved_is_taken_out() -> None:
    image = ("PATH=/usr/bin", "LD_PRELOAD=/evil.so", "NVIDIA_VISIBLE_DEVICES=all", "CUDA_HOME=/c")
    env = create_options(SETTINGS, an_order(SLEEPS), None, (), image)["environment"]
    assert env["LD_PRELOAD"] is None
    assert env["NVIDIA_VISIBLE_DEVICES"] == "void"
    assert env.keys().isdisjoint({"PATH", "CUDA_HOME"})


@pytest.mark.parametrize(
    ("script", "command"),
    [("#!/usr/bin/env python\n", ["/berth/script"]), ("echo", ["/bin/sh", "/berth/script"])],
)
def test_script_is_run_by_its_own_interpreter_or_the_shell(script: str, command: list[str]) -> None:
    options = create_options(SETTINGS, an_order((), script=script), None, ())
    assert options["command"] == command


def test_real_cards_are_handed_in_by_uuid_and_simulated_ones_by_name_only() -> None:
    real, paper = Device("GPU-1", 1), Device("SIM-1", 1, slices=8)
    options = create_options(SETTINGS, an_order(SLEEPS, devices=(real,)), None, ())
    assert options["device_requests"][0]["DeviceIDs"] == ["GPU-1"]
    options = create_options(SETTINGS, an_order(SLEEPS, devices=(paper,)), None, ())
    assert options["device_requests"] == []
    assert options["environment"]["NVIDIA_VISIBLE_DEVICES"] == "SIM-1"


def test_notebook_is_published_on_loopback_and_keeps_its_token_off_the_command_line() -> None:
    order = an_order((), kind="environment")
    options = create_options(SETTINGS, order, NOTEBOOK, ())
    assert options["ports"] == {"8888/tcp": ("127.0.0.1", None)}
    assert "secret-token" not in " ".join(options["command"])
    assert options["environment"]["JUPYTER_TOKEN"] == "secret-token"


def test_notebook_finds_the_platforms_extension_where_it_is_mounted() -> None:
    options = create_options(SETTINGS, an_order((), kind="environment"), NOTEBOOK, ())
    assert f"--LabApp.extra_labextensions_path={LAB_DIR}/labextensions" in options["command"]


def test_host_network_binds_the_chosen_port_itself() -> None:
    settings = DockerRuntimeSettings("gpu-1", Path("/srv"), "127.0.0.1", "host", 1000, 8_000)
    options = create_options(settings, an_order((), kind="environment"), NOTEBOOK, ())
    assert options["network_mode"] == "host"
    assert "ports" not in options
    assert "--ServerApp.port=40000" in options["command"]


def test_a_build_is_root_with_few_capabilities_and_every_other_limit() -> None:
    read_only = replace(SETTINGS, is_rootfs_read_only=True)
    plain = create_options(read_only, an_order((), script="true"), None, ())
    build = create_options(read_only, an_order((), script="true", builds_image=True), None, ())
    changed = {name for name in build if build[name] != plain.get(name)}
    assert changed == {
        *("user", "cap_add", "entrypoint", "command", "working_dir", "environment"),
        *("read_only", "tmpfs"),
    }
    assert set(build["cap_add"]).isdisjoint(
        {"ALL", "SYS_ADMIN", "NET_ADMIN", "NET_RAW", "MKNOD", "SYS_PTRACE", "DAC_READ_SEARCH"}
    )
    assert build["entrypoint"] == ["/bin/sh", "/berth/script"]
    own = build["environment"].keys() - plain["environment"].keys()
    assert own == {"BERTH_BUILD_DONE_FILE", "BERTH_BUILD_VERDICT_FILE"}
