"""Collects the facts about a host that the doctor's checks need; reads only, changes nothing."""

import os
import resource
import shutil
import time
from collections.abc import Collection, Mapping
from contextlib import closing
from email.utils import parsedate_to_datetime
from pathlib import Path
from typing import Any, Final
from urllib.error import HTTPError, URLError
from urllib.request import Request, urlopen

from nodeagent.config import MIB, AgentConfig
from nodeagent.disk.layout import StateLayout
from nodeagent.docker.engine.client import ENGINE_ERRORS, connect_engine
from nodeagent.docker.engine.versions import parse_engine_versions, read_host_versions
from nodeagent.docker.network.container_network import FILTERS_BRIDGES, run_nft
from nodeagent.doctor.facts import EngineFacts, FolderFacts, HostFacts
from nodeagent.host.mount_table import MOUNTINFO, find_mount
from nodeagent.host.quotas.project_quotas import ProjectQuotas
from nodeagent.sharing.records import list_unreadable_names

ENGINE_S: Final = 5
PORTAL_S: Final = 5
PCI: Final = Path("/sys/bus/pci/devices")
NVIDIA: Final = "0x10de"
DISPLAYS: Final = ("0x0300", "0x0302")
"""PCI device classes: display controllers and 3D controllers."""
CDI: Final = (Path("/etc/cdi"), Path("/var/run/cdi"))
INOTIFY: Final = Path("/proc/sys/fs/inotify")
MEMORY: Final = Path("/proc/meminfo")


def collect_facts(config: AgentConfig) -> HostFacts:
    """Return all facts that the checks need; takes a few seconds at most."""
    runs_containers = config.runtime != "process"
    engine, engine_error = _engine(config.docker.host) if runs_containers else (None, "")
    memory = _memory()
    portal_error, offset = _portal(str(config.portal_url))
    bridges = _number(FILTERS_BRIDGES)
    return HostFacts(
        is_root=os.geteuid() == 0,
        engine=engine,
        engine_error=engine_error,
        runtime=config.runtime,
        network=config.docker.network,
        is_egress_enforced=config.docker.egress.enforce,
        nft_error=_nft_error() if runs_containers else "",
        bridges_filtered=None if bridges is None else bridges == 1,
        accepted=frozenset(config.docker.accept_versions),
        versions=read_host_versions(),
        nvidia_cards=_nvidia_cards(),
        cdi_specs=sum(len(list(folder.glob("nvidia*"))) for folder in CDI),
        memory_mib=memory.get("MemTotal", 0),
        memory_free_mib=memory.get("MemAvailable", 0),
        state=_folder(config.state_dir),
        storage=_folder(config.storage_dir),
        portal_error=portal_error,
        clock_offset_s=offset,
        inotify_instances=_number(INOTIFY / "max_user_instances"),
        inotify_watches=_number(INOTIFY / "max_user_watches"),
        open_files=resource.getrlimit(resource.RLIMIT_NOFILE)[1],
        unread_shares=list_unreadable_names(StateLayout(config.state_dir).shares),
    )


def _nft_error() -> str:
    return run_nft(["-c", "-f", "-"], "table inet berth_doctor { }\n")


def _engine(host: str) -> tuple[EngineFacts | None, str]:
    try:
        with closing(connect_engine(host, ENGINE_S)) as client:
            networks = {row["Name"] for row in client.api.networks()}
            return parse_engine_facts(client.version(), client.info(), networks), ""
    except ENGINE_ERRORS as error:
        return None, str(error)[:200]


def parse_engine_facts(
    version: Mapping[str, Any], info: Mapping[str, Any], networks: Collection[str]
) -> EngineFacts:
    """Extract the facts from the engine's answers to `version` and `info`."""
    return EngineFacts(
        versions=parse_engine_versions(version),
        security=tuple(info.get("SecurityOptions") or ()),
        cgroup_version=str(info.get("CgroupVersion", "")),
        is_live_restore=bool(info.get("LiveRestoreEnabled")),
        runtimes=tuple(info.get("Runtimes") or ()),
        # An engine configured without a bridge does not have its default bridge either.
        has_network="bridge" in networks,
    )


def _portal(url: str) -> tuple[str, float | None]:
    """Request the portal once: any answer proves that it is reachable and carries its time."""
    started = time.time()
    try:
        with urlopen(Request(url, method="HEAD"), timeout=PORTAL_S) as answer:  # noqa: S310  our own
            date = answer.headers.get("Date")
    except HTTPError as error:
        date = error.headers.get("Date")
        error.close()
    except (URLError, TimeoutError, OSError, ValueError) as error:
        return str(getattr(error, "reason", error))[:200], None
    if date is None:
        return "", None
    # The header has whole seconds: add half a second as the best estimate.
    return "", (started + time.time()) / 2 - parsedate_to_datetime(date).timestamp() - 0.5


def _folder(path: Path) -> FolderFacts:
    """Describe a folder, or its nearest existing parent if it does not exist yet."""
    existing = path
    while not existing.exists() and existing != existing.parent:
        existing = existing.parent
    try:
        free_mib: int | None = shutil.disk_usage(existing).free // MIB
    except OSError:
        free_mib = None
    mount = find_mount(MOUNTINFO.read_text(encoding="utf-8"), existing.resolve())
    return FolderFacts(
        path=str(path),
        is_writable=os.access(existing, os.W_OK | os.X_OK),
        free_mib=free_mib,
        options=() if mount is None else mount.options,
        has_quota=ProjectQuotas().can_limit(existing),
    )


def _nvidia_cards() -> int:
    """Count the NVIDIA cards on the PCI bus, where they appear without any driver."""
    found = 0
    for device in PCI.glob("*") if PCI.exists() else ():
        try:
            vendor, kind = (device / "vendor").read_text(), (device / "class").read_text()
        except OSError:
            continue
        found += vendor.strip() == NVIDIA and kind.startswith(DISPLAYS)
    return found


def _memory() -> dict[str, int]:
    """Return total and available memory in MiB."""
    lines = [line.split() for line in MEMORY.read_text(encoding="ascii").splitlines()]
    return {words[0].rstrip(":"): int(words[1]) // 1024 for words in lines if len(words) > 1}


def _number(path: Path) -> int | None:
    try:
        return int(path.read_text())
    except (OSError, ValueError):
        return None
