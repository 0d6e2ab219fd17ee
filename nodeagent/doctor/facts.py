"""The facts about a host that the doctor checks. `None` always means unknown."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal


@dataclass(frozen=True, slots=True)
class EngineFacts:
    """The configuration that the container engine reports."""

    versions: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    security: tuple[str, ...] = ()
    """Its security options, such as `name=seccomp,profile=default`."""
    cgroup_version: str = ""
    is_live_restore: bool = False
    runtimes: tuple[str, ...] = ()
    has_network: bool = False
    """Whether it can create bridge networks."""

    @property
    def has_remapped_users(self) -> bool:
        """Return whether users in containers are mapped to other users of the host."""
        return any("name=userns" in item or "name=rootless" in item for item in self.security)


@dataclass(frozen=True, slots=True)
class FolderFacts:
    """A folder that the agent uses."""

    path: str
    is_writable: bool
    free_mib: int | None
    options: tuple[str, ...] = ()
    """Mount options of its file system."""
    has_quota: bool = False
    """Whether its file system enforces a size limit per folder."""


@dataclass(frozen=True, slots=True)
class HostFacts:
    """All facts at one moment."""

    is_root: bool
    engine: EngineFacts | None
    """None if no engine answers."""
    engine_error: str
    runtime: Literal["auto", "docker", "process"]
    """What the configuration selects; `auto` is Docker where an engine answers."""
    network: str
    is_egress_enforced: bool
    """According to the configuration."""
    nft_error: str
    """Empty if `nft` can set rules on this host."""
    bridges_filtered: bool | None
    accepted: frozenset[str]
    """Components that the configuration allows to be older than their minimum version."""
    versions: Mapping[str, tuple[str, ...]]
    """Of driver, toolkit and kernel."""
    nvidia_cards: int
    """On the PCI bus, with or without a driver."""
    cdi_specs: int
    """CDI specification files, which describe cards to engines."""
    memory_mib: int
    memory_free_mib: int
    state: FolderFacts
    storage: FolderFacts
    portal_error: str
    """Empty if the portal answers."""
    clock_offset_s: float | None
    """This host's clock minus the portal's."""
    inotify_instances: int | None
    inotify_watches: int | None
    open_files: int
    """Hard limit on open files of this process."""
    unread_shares: tuple[str, ...] = ()
    """Containers with unreadable records of their GPU shares."""
