"""What a container of any start path can do to its host: nothing. One row for each attempt."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import pytest

from nodeagent.docker.containers.container_spec import (
    CHECKPOINT_DIR,
    LAB_DIR,
    LABEL_ALLOCATION,
    LABEL_EPOCH,
    NOTICE_DIR,
)
from tests.nodeagent.docker.hardening.conftest import CANARY, PROCESSES_MAX, USER, Seen

pytestmark = pytest.mark.docker

PATHS: Final = ("environment", "training", "adopted")
EPERM: Final = 1
NOT_PERMITTED: Final = "Operation not permitted"
READ_ONLY: Final = "Read-only file system"
REFUSED: Final = frozenset(
    {NOT_PERMITTED, READ_ONLY, "Permission denied", "No such file or directory"}
)
DEVICES: Final = frozenset(
    {"console", "core", "fd", "full", "mqueue", "null", "ptmx", "pts", "random", "shm"}
    | {"stderr", "stdin", "stdout", "tty", "urandom", "zero"}
)
NO_CAPABILITIES: Final = "0" * 16
KILLED: Final = -9

Probe = Callable[[dict[str, Any]], object]


def _is_host_hidden(report: dict[str, Any]) -> bool:
    """Nothing but the init, the probe and its children."""
    lines = report["processes"].values()
    return report["processes"]["1"].startswith("/sbin/docker-init") and not any(
        "dockerd" in line or "pytest" in line for line in lines
    )


def _variables(report: dict[str, Any]) -> dict[str, str]:
    pairs = (line.partition("=") for line in report["environment"])
    return {name: value for name, _, value in pairs}


def _are_namespaces_own(report: dict[str, Any]) -> bool:
    ours = {kind: str(Path(f"/proc/self/ns/{kind}").readlink()) for kind in report["namespaces"]}
    return all(ours[kind] != theirs for kind, theirs in report["namespaces"].items())


def _are_mounts_few(report: dict[str, Any]) -> bool:
    """Of the host: its folders and the engine's few files; everything else is the kernel's."""
    kernel = ("/proc", "/sys", "/dev")
    found = {target for target in report["mounts"] if not target.startswith(kernel)}
    engine = {"/", "/etc/resolv.conf", "/etc/hostname", "/etc/hosts", "/sbin/docker-init"}
    own = found - engine
    told_read_only = own & {NOTICE_DIR, LAB_DIR}
    return all("ro" in report["mounts"][target] for target in told_read_only) and own in (
        {"/workspace", NOTICE_DIR, CHECKPOINT_DIR, LAB_DIR},
        {"/outputs", NOTICE_DIR, CHECKPOINT_DIR},
    )


PROBES: Final[dict[str, Probe]] = {
    "capabilities_effective_none": lambda it: it["status"]["CapEff"] == NO_CAPABILITIES,
    "capabilities_to_gain_none": lambda it: (
        {it["status"][name] for name in ("CapPrm", "CapBnd", "CapAmb")} == {NO_CAPABILITIES}
    ),
    "no_new_privileges": lambda it: it["status"]["NoNewPrivs"] == "1",
    "seccomp_filters": lambda it: it["status"]["Seccomp"] == "2",
    "user_is_not_root": lambda it: set(it["ids"]) == {USER},
    "cannot_mount": lambda it: it["mount"] == EPERM,
    "cannot_make_namespaces": lambda it: set(it["unshare"]) == {EPERM},
    "host_processes_hidden": _is_host_hidden,
    "namespaces_are_its_own": _are_namespaces_own,
    "kernel_settings_read_only": lambda it: (
        {it["sys"], it["sysctl"], it["core_pattern"]} <= REFUSED
    ),
    "kernel_memory_and_keys_masked": lambda it: (
        it["sysrq"] in REFUSED and all(found in REFUSED | {"0"} for found in it["masked"])
    ),
    "cannot_make_devices": lambda it: it["mknod"] == NOT_PERMITTED,
    "devices_are_the_harmless_ones": lambda it: set(it["devices"]) <= DEVICES,
    "cannot_raise_limits": lambda it: (
        it["core"] == [0, 0] and set(it["raised"]) <= {NOT_PERMITTED, "ValueError"}
    ),
    "fork_bomb_is_capped": lambda it: 0 < it["forks"] < PROCESSES_MAX,
    "memory_cap_kills_only_the_eater": lambda it: it["eaten"] == KILLED,
    "no_engine_socket": lambda it: it["sockets"] == [],
    "setuid_program_gives_nothing": lambda it: it["setuid"] == [str(USER), str(USER)],
    "cannot_give_files_away_or_become_root": lambda it: set(it["chown"]) == {NOT_PERMITTED},
    "reserved_variables_are_the_agents": lambda it: (
        _variables(it)
        .keys()
        .isdisjoint(
            {"LD_PRELOAD", "LD_LIBRARY_PATH", "NVIDIA_DRIVER_CAPABILITIES"}
            | {"CUDA_MPS_PIPE_DIRECTORY", "CUDA_MPS_ACTIVE_THREAD_PERCENTAGE"}
        )
        and _variables(it)["NVIDIA_VISIBLE_DEVICES"] == "void"
        and _variables(it)["CUDA_VISIBLE_DEVICES"] == ""
        and _variables(it)["FROM_IMAGE"] == _variables(it)["FROM_USER"] == "kept"
    ),
    "agents_environment_hidden": lambda it: CANARY not in str(it["environment"]),
    "orphans_are_reaped": lambda it: it["zombies"] == 0,
    "mounts_are_the_few_known": _are_mounts_few,
    "no_raw_sockets": lambda it: set(it["raw"]) == {NOT_PERMITTED},
    "cgroups_read_only": lambda it: it["cgroups"] == [],
    "foreign_system_calls_refused": lambda it: set(it["syscalls"].values()) == {EPERM},
}


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("name", PROBES)
def test_probe(name: str, path: str, seen: dict[str, Seen]) -> None:
    report = seen[path].report
    assert PROBES[name](report), report


def _has_no_link_to_the_host(config: dict[str, Any]) -> bool:
    shared = [config[name] for name in ("PidMode", "UTSMode", "UsernsMode", "VolumesFrom", "Links")]
    return not any(shared) and config["NetworkMode"] != "host"


INSPECTED: Final[dict[str, Probe]] = {
    "not_privileged": lambda it: it["Privileged"] is False,
    "capabilities_dropped": lambda it: it["CapDrop"] == ["ALL"] and not it["CapAdd"],
    "security_options": lambda it: it["SecurityOpt"] == ["no-new-privileges"],
    "processes_capped": lambda it: it["PidsLimit"] == PROCESSES_MAX,
    "memory_capped_without_swap": lambda it: it["Memory"] == it["MemorySwap"] == 256 << 20,
    "processor_capped": lambda it: it["NanoCpus"] == 1_000_000_000,
    "init_reaps": lambda it: it["Init"] is True,
    "never_restarted": lambda it: it["RestartPolicy"]["Name"] == "no",
    "host_namespaces_not_shared": _has_no_link_to_the_host,
    "ipc_and_cgroups_private": lambda it: (
        (it["IpcMode"], it["CgroupnsMode"]) == ("private", "private")
    ),
    "no_devices": lambda it: not (it["Devices"] or it["DeviceCgroupRules"]),
    "no_binds_by_text": lambda it: not it["Binds"],
    "mounts_private": lambda it: (
        {mount["BindOptions"]["Propagation"] for mount in it["Mounts"]} == {"rprivate"}
    ),
    "log_rotated": lambda it: set(it["LogConfig"]["Config"]) == {"max-size", "max-file"},
    "core_files_off": lambda it: {"Name": "core", "Hard": 0, "Soft": 0} in it["Ulimits"],
    "kernel_paths_masked": lambda it: (
        "/proc/kcore" in it["MaskedPaths"] and "/proc/sys" in it["ReadonlyPaths"]
    ),
    "shared_memory_sized": lambda it: it["ShmSize"] == 128 << 20,
    "out_of_memory_is_killed": lambda it: not it["OomKillDisable"],
}


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("name", INSPECTED)
def test_the_engine_was_asked_for(name: str, path: str, seen: dict[str, Seen]) -> None:
    config = seen[path].inspected["HostConfig"]
    assert INSPECTED[name](config), config


def test_every_container_says_whose_it_is(seen: dict[str, Seen]) -> None:
    for kind, found in seen.items():
        labels = found.inspected["Config"]["Labels"]
        name = "training" if kind == "adopted" else kind
        assert labels[LABEL_ALLOCATION] == f"{name}.0"
        assert labels[LABEL_EPOCH] == "1"


def test_files_of_the_work_belong_to_its_user_on_the_host(seen: dict[str, Seen]) -> None:
    for found in seen.values():
        owner = (found.folder / "probe-0.json").stat()
        assert (owner.st_uid, owner.st_gid) == (USER, USER)
        assert not os.access(found.folder / "disk", os.F_OK)


def test_probes_find_what_the_engine_alone_leaves_open(weak: Seen) -> None:
    """A container with the engine's defaults: were the probes blind, they would pass it too."""
    failed = {name for name, probe in PROBES.items() if not probe(weak.report)}
    assert failed >= {
        "capabilities_effective_none",
        "capabilities_to_gain_none",
        "no_new_privileges",
        "user_is_not_root",
        "host_processes_hidden",
        "cannot_make_devices",
        "cannot_give_files_away_or_become_root",
        "setuid_program_gives_nothing",
        "reserved_variables_are_the_agents",
        "orphans_are_reaped",
        "no_raw_sockets",
    }
