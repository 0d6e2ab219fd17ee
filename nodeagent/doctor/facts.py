"""What a doctor needs to know about a host. `None` is always "could not be found out"."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class EngineFacts:
    """What the container engine says of itself."""

    versions: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    security: tuple[str, ...] = ()
    """Its security options, such as `name=seccomp,profile=default`."""
    cgroup_version: str = ""
    is_live_restore: bool = False
    runtimes: tuple[str, ...] = ()
    has_network: bool = False
    """Whether it can make bridges."""

    @property
    def has_remapped_users(self) -> bool:
        """Tell whether users of containers are others on the host, in a user namespace of their own."""
        return any("name=userns" in item or "name=rootless" in item for item in self.security)


@dataclass(frozen=True, slots=True)
class FolderFacts:
    """One folder that the agent uses."""

    path: str
    is_writable: bool
    free_mib: int | None
    options: tuple[str, ...] = ()
    """How its file system is mounted."""
    has_quota: bool = False
    """Whether its file system refuses what goes beyond the limit of a folder."""


@dataclass(frozen=True, slots=True)
class HostFacts:
    """Everything at one moment."""

    is_root: bool
    engine: EngineFacts | None
    """None when no engine answers."""
    engine_error: str
    wants_docker: bool
    """Whether the configuration asks for Docker, so that an engine must be there."""
    network: str
    is_egress_enforced: bool
    """By the configuration."""
    nft_error: str
    """Empty when `nft` can set rules on this host."""
    bridges_filtered: bool | None
    accepted: frozenset[str]
    """Components that may be below their floor, by the configuration."""
    versions: Mapping[str, tuple[str, ...]]
    """Of driver, toolkit and kernel."""
    nvidia_cards: int
    """On the PCI bus, driver or not."""
    cdi_specs: int
    """Files that describe cards to engines."""
    memory_mib: int
    memory_free_mib: int
    state: FolderFacts
    storage: FolderFacts
    portal_error: str
    """Empty when the portal answers."""
    clock_offset_s: float | None
    """This host's clock minus the portal's."""
    inotify_instances: int | None
    inotify_watches: int | None
    open_files: int
    """Hard limit of this process."""
    unread_shares: tuple[str, ...] = ()
    """Containers whose record of their shares of cards cannot be read."""
