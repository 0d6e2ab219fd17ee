"""The configuration of this installation, for code that does not read Django's settings.

`portal.config` is the only package that reads environment and settings. It builds one `SiteConfig`
and installs it at start-up; everything else calls `get_site_config()`.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from ipaddress import IPv4Network, IPv6Network
from pathlib import Path
from typing import Final

from portal.common.origins import HostPattern


@dataclass(frozen=True, slots=True)
class FenceCommand:
    """A command that switches a node off, and exits with 0 when it is off."""

    argv: tuple[str, ...]
    """`{node}` and `{pool}` in it stand for the names."""
    timeout_s: float = 60.0
    after_s: float = 300.0
    """How long a node must be silent, and most others heard, before it is run."""
    attempts_max: int = 3

    def fill_in(self, node: str, pool: str) -> tuple[str, ...]:
        """Return the arguments for one node."""
        return tuple(item.replace("{node}", node).replace("{pool}", pool) for item in self.argv)


@dataclass(frozen=True, slots=True)
class FenceCommands:
    """The fence commands of an installation: a node's own goes before its pool's."""

    nodes: Mapping[str, FenceCommand] = field(default_factory=dict)
    pools: Mapping[str, FenceCommand] = field(default_factory=dict)

    @property
    def is_empty(self) -> bool:
        """Whether there is none."""
        return not self.nodes and not self.pools

    def find(self, node: str, pool: str) -> FenceCommand | None:
        """Return the command of a node, if it has any."""
        return self.nodes.get(node) or self.pools.get(pool)


@dataclass(frozen=True, slots=True)
class RegistryConfig:
    """The registry in which saved images are kept."""

    host: str
    """With its port, as nodes reach it."""
    url: str
    """How the portal reaches it."""
    username: str = ""
    """Empty is a registry without a login."""
    password: str = field(default="", repr=False)


STORE_NAME: Final = r"^[a-z0-9][a-z0-9-]{0,31}$"
"""Names of object stores."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ObjectStore:
    """A bucket over S3, or a part of it, whose objects become versions of data sets."""

    name: str
    endpoint: str
    bucket: str
    prefix: str = ""
    """Ends with a slash; nothing outside of it is reached."""
    region: str = "us-east-1"
    access_key: str = field(repr=False)
    secret_key: str = field(repr=False)
    groups: frozenset[str] = frozenset()
    """Names of groups to whose data sets, and those of all groups below, their admins may publish from it."""


@dataclass(frozen=True, slots=True)
class ImageScanner:
    """A program that looks for vulnerabilities in an image, and prints them as JSON."""

    argv: tuple[str, ...]
    """`{image}` in it stands for the reference."""
    timeout_s: int = 1800
    days: int = 7
    """After so many days an image is scanned again."""

    def fill_in(self, reference: str) -> tuple[str, ...]:
        """Return the arguments for one image."""
        return tuple(item.replace("{image}", reference) for item in self.argv)


@dataclass(frozen=True, slots=True, kw_only=True)
class SiteConfig:
    """What differs between installations; `portal.config.env` documents the variables."""

    secret_key: str
    encryption_keys: tuple[str, ...]
    """Of stored secrets; the first encrypts, all decrypt."""
    portal_url: str
    """Origin of pages and API."""
    apps_url: str
    """Origin of notebooks, and of web apps that work below a path."""
    inference_url: str
    """Origin of services, for programs."""
    ssh_port: int
    """0 is none."""
    sends_mail: bool
    """Whether a mail server is configured."""
    password_reset_s: int
    """How long the address in a mail sets a new password."""
    trusted_proxies: tuple[IPv4Network | IPv6Network, ...]
    webhook_networks: tuple[IPv4Network | IPv6Network, ...]
    """Private networks that webhooks of the site may reach."""
    personal_channels: bool
    """Whether people may have notices sent to a channel of their own."""
    personal_webhook_networks: tuple[IPv4Network | IPv6Network, ...]
    """Private networks that webhooks of people may reach."""
    metrics_token: str
    """Empty is no metrics."""
    request_body_max: int
    """Bytes of a request to the API."""
    redis_url: str
    storage_dir: Path
    disk_mib_max: int
    """0 is no limit."""
    home_mib: int
    """Quota of a home when it is made; 0 is no limit."""
    group_volume_mib_max: int
    """Largest quota that a group admin may give a volume."""
    group_datasets_mib_max: int
    """How much the published versions of one group may hold; 0 is no limit."""
    time_zone: str
    """Written into the site settings at the first start (`portal.site`)."""
    workspaces_kept_days: int
    """This and the next are defaults of the site settings, as is the lease."""
    outputs_kept_days: int
    heartbeat_s: float
    lease_ttl_s: float
    lease_grace_s: float
    node_key_life_s: int
    run_times_learned_every_s: int
    site_view_age_s: float
    """How old the nodes and quotas may be on which a submission is accepted."""
    queue_view_age_s: float
    """How old the queue may be of which a page asks why something waits."""
    apps_hosts: HostPattern | None = None
    """Origins of web apps that need one of their own; None is none."""
    fence_commands: FenceCommands = field(default_factory=FenceCommands)
    snapshots_dir: str = ""
    """Below the storage; empty where no snapshots are shown."""
    datasets_dir: Path | None = None
    """The nodes' folder of data sets, where this machine has it, too."""
    object_stores: Mapping[str, ObjectStore] = field(default_factory=dict)
    """By name."""
    registry: RegistryConfig | None = None
    """Without one, notebooks cannot be saved as images."""
    image_scanner: ImageScanner | None = None
    """Without one, no image is scanned."""
    saved_image_mib_max: int = 0
    """How large one saved image may be, unpacked."""
    saved_images_mib_max: int = 0
    """How large all saved images of one person may be."""
    is_demo: bool = False
    """Whether a past and activity may be simulated here: only `make run` says so."""


_installed: Final[list[SiteConfig]] = []
"""The configuration of this process, once it is installed."""


def install_site_config(config: SiteConfig) -> None:
    """Set the configuration of this process."""
    _installed[:] = [config]


def get_site_config() -> SiteConfig:
    """Return the configuration of this process; raises `LookupError` before start-up."""
    return _installed[0]
