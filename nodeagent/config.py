"""The agent's settings: one TOML file, each value overridable by `BERTH_AGENT_…`."""

import os
import sys
from ipaddress import IPv4Address, IPv4Network
from pathlib import Path
from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, Field, HttpUrl, IPvAnyAddress
from pydantic_settings import (
    BaseSettings,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
    TomlConfigSettingsSource,
)
from typing_extensions import override

from nodeagent.docker.network.egress import parse_allow_rule
from wire.facts import MigProfile
from wire.values import DEVICES_MAX, SLOT_MAX, Identifier

MIB = 1024 * 1024


class SimulatedMigInstance(BaseModel):
    """One MIG device of a simulated card."""

    profile: Annotated[str, Field(max_length=100)]
    memory_mib: Annotated[int, Field(gt=0)]
    start: Annotated[int, Field(ge=0, le=15)] = 0


class SimulatedCard(BaseModel):
    """One kind of simulated card, and how many of them there are."""

    count: Annotated[int, Field(ge=1, le=DEVICES_MAX)] = 1
    model: Annotated[str, Field(max_length=100)] = "Simulated 32GB"
    memory_mib: Annotated[int, Field(gt=0)] = 32768
    island: Annotated[int, Field(ge=0, le=SLOT_MAX)] = 0
    """Cards with the same number are reported as linked by NVLink."""
    mig: Annotated[tuple[SimulatedMigInstance, ...], Field(max_length=16)] = ()
    """The MIG devices that each of them reports."""
    profiles: Annotated[tuple[MigProfile, ...], Field(max_length=16)] = ()
    """The MIG profiles that each of them offers."""


class SimulatedCards(BaseModel):
    """The cards that a node simulates when it has no real ones.

    `count` cards of one kind, or a list of kinds in `cards`.
    """

    count: Annotated[int, Field(ge=0, le=DEVICES_MAX)] = 0
    model: Annotated[str, Field(max_length=100)] = "Simulated 32GB"
    memory_mib: Annotated[int, Field(gt=0)] = 32768
    cards: Annotated[tuple[SimulatedCard, ...], Field(max_length=DEVICES_MAX)] = ()
    control: Path | None = None
    """A file that injects faults; see `nodeagent.gpu.drivers.simulated`."""

    def expand(self) -> tuple[SimulatedCard, ...]:
        """Return one entry for each card, in their order."""
        if not self.cards:
            one = SimulatedCard(model=self.model, memory_mib=self.memory_mib)
            return (one,) * self.count
        return tuple(kind for kind in self.cards for _ in range(kind.count))[:DEVICES_MAX]


class SharingSettings(BaseModel):
    """What may isolate the tenants of one card, beyond what the host offers by itself."""

    hami_library: Path | None = None
    """HAMi-core's `libvgpu.so`, installed by the administrator; it is not part of this platform."""
    compute_shares: bool = False
    """Whether tenants limited by cgroup get limits of their processors as well: by MPS, so that a
    fatal fault of one ends all work on its card."""
    allow_timeslice: bool = False
    """Whether monitored time-slicing is acceptable where nothing stronger is available."""


class TelemetrySettings(BaseModel):
    """How often the node reads cards and containers, and how often it reports."""

    sample_s: Annotated[float, Field(ge=1, le=10)] = 2
    """Between two readings of cards and containers."""
    send_s: Annotated[float, Field(ge=0, le=60)] = 0
    """Between two messages about them; 0 sends each reading at once."""
    metrics_port: Annotated[int, Field(ge=0, le=65535)] = 0
    """Where Prometheus reads `/metrics`; 0 disables it."""
    metrics_address: IPvAnyAddress = Field(default="127.0.0.1", validate_default=True)
    """Every client that reaches it can read what runs on this node, by the ids of allocations."""


def _check_allow_rule(text: str) -> str:
    """Raise `ValueError` for what cannot become a firewall rule."""
    parse_allow_rule(text)
    return text


class EgressSettings(BaseModel):
    """Where work may connect to. The host, the portal and private networks are never included."""

    enforce: bool = True
    """Off, everything may be reached, and the node reports that. On, nothing starts without the
    rules."""
    internet: bool = True
    """Whether everything that is not hidden may be reached, or only what is allowed here."""
    allow: Annotated[
        tuple[Annotated[str, AfterValidator(_check_allow_rule)], ...], Field(max_length=256)
    ] = ()
    """Networks with or without ports that are hidden otherwise: `10.1.0.0/16`, `10.1.2.3:443`."""
    deny: Annotated[tuple[IPv4Network, ...], Field(max_length=256)] = ()
    """More networks to hide."""
    resolvers: Annotated[tuple[IPv4Address, ...], Field(max_length=8)] = ()
    """Name servers of containers; none gives them those of the host."""


class DockerSettings(BaseModel):
    """How to reach the engine, and how containers are connected."""

    host: str = ""
    """Such as `unix:///run/docker.sock`; empty means `DOCKER_HOST` or the engine's default."""
    network: Annotated[str, Field(min_length=1, max_length=64)] = "berth"
    """Created when it is missing. `host` where the engine has no bridges: then nothing is hidden."""
    egress: EgressSettings = EgressSettings()
    gang_network: Annotated[str, Field(max_length=64)] = ""
    """How ranks on different nodes reach each other: the name of a network that spans them (an
    attachable overlay), `host` for the hosts' own, `engine` where the nodes share one engine.
    Empty is not at all. Ranks on one node always have a network of their own."""
    gang_interface: Annotated[str, Field(max_length=15)] = ""
    """Interface of the host that leads to the other nodes; only with `host`. Empty is the one that
    has `advertise_address`."""
    user_id: Annotated[int, Field(ge=1, le=2**31)] = os.getuid() or 1000
    """User of the work inside its container, and owner of its folders; never root."""
    read_only_rootfs: bool = False
    """Whether an image's own files are read-only; `/tmp`, `/run` and `/var/tmp` are in memory."""
    open_files_max: Annotated[int, Field(ge=0, le=2**20)] = 0
    """Open files of one process; 0 leaves it to the engine."""
    processes_max: Annotated[int, Field(ge=16, le=2**22)] = 4096
    """Processes and threads of one container."""
    accept_versions: frozenset[Literal["engine", "runc", "toolkit", "driver"]] = frozenset()
    """Components that may be below their minimum version on this node; the node reports them."""


class ImageSettings(BaseModel):
    """Limits of pulls, and of the disk space that pulled images may use."""

    size_mib: Annotated[int, Field(gt=0)] = 100 * 1024
    """Compressed size of one image; a larger one is refused."""
    clean_above_pct: Annotated[int, Field(ge=1, le=100)] = 85
    """Of the disk with the images: from here on unused ones are removed."""
    clean_below_pct: Annotated[int, Field(ge=0, le=99)] = 75
    """Until this is reached."""


class DatasetCacheSettings(BaseModel):
    """Copies of published data sets on this node's own disk, where that is faster than the storage."""

    dir: Path | None = None
    """Folder of the copies, on a local disk; none caches nothing."""
    size_mib: Annotated[int, Field(ge=64)] = 102_400
    """How much all copies may hold; what was mounted longest ago makes room."""


class DiskSpaceSettings(BaseModel):
    """Below these limits the node takes no new work; what runs continues."""

    pressure_mib: Annotated[int, Field(ge=1)] = 2048
    """On the disks of the agent's state, the storage and the images: work there is notified."""
    relief_mib: Annotated[int, Field(ge=1)] = 4096
    """Until this is free again."""
    free_mib: Annotated[int, Field(ge=1)] = 512
    """Below this a disk counts as full."""
    free_inodes: Annotated[int, Field(ge=1)] = 1024
    """Files that can still be made; with fewer it is full."""
    shm_free_mib: Annotated[int, Field(ge=0)] = 1
    """Shared memory of the host; with less it is full."""


class IdleSettings(BaseModel):
    """How notebooks are checked for use."""

    check_interval_s: Annotated[float, Field(ge=0.1, le=60)] = 10.0
    """Between two checks."""
    cuda_library: str = "libcuda.so.1"
    """The driver's library; without one that has checkpoints, kernels are shut down instead."""


class AgentConfig(BaseSettings):
    """Everything an agent needs before it connects to the portal."""

    model_config = SettingsConfigDict(
        env_prefix="BERTH_AGENT_",
        env_nested_delimiter="__",
        extra="forbid",
        frozen=True,
        # Errors are logged to the journal, which many can read: the join token is among the values.
        hide_input_in_errors=True,
    )

    name: Identifier
    portal_url: HttpUrl
    state_dir: Path
    """Identity, lease, state and container directories; local disk, private to this node."""
    storage_dir: Path
    """Shared with the portal: `workspaces/` and `outputs/`."""
    storage_shared: bool = True
    """Whether all nodes have the same `storage_dir`. Where not, notebooks stay on the node that has
    their files, and the page says so."""
    secrets_dir: Path | None = None
    """Below it are the secrets of running work; must be in memory (tmpfs). None is `/dev/shm`."""
    datasets_dir: Path | None = None
    """Folder of this node's data sets; none means that it has no data sets."""
    join_token: str = ""
    """One-time token; used on the first start only."""
    runtime: Literal["auto", "docker", "process"] = "auto"
    bind_address: IPvAnyAddress = Field(default="127.0.0.1", validate_default=True)
    """Where notebooks listen."""
    advertise_address: str = "127.0.0.1"
    """Host under which the portal's gateway reaches them."""
    switch: Annotated[str, Field(max_length=63)] = ""
    """Network switch or rack: nodes with the same one are close to each other."""
    accelerators: Literal["auto", "nvidia", "community", "simulated"] = "auto"
    """Which driver: `auto`, `nvidia`, `community` (other vendors), `simulated`."""
    cards_deadline_s: Annotated[float, Field(ge=0.1, le=60)] = 4
    """How long one reading of all cards may take before their driver counts as hung."""
    simulated: SimulatedCards = SimulatedCards()
    cpu_milli: Annotated[int, Field(gt=0)] = (os.cpu_count() or 1) * 1000
    memory_mib: Annotated[int, Field(gt=0)] = (
        os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // MIB
    )
    process_images: dict[str, Path] = {}
    """Process runtime: image reference → prefix of a Python environment."""
    process_default_prefix: Path | None = Path(sys.prefix)
    """Prefix for every other image; none means that they are unavailable."""
    docker: DockerSettings = DockerSettings()
    telemetry: TelemetrySettings = TelemetrySettings()
    idle: IdleSettings = IdleSettings()
    sharing: SharingSettings = SharingSettings()
    images: ImageSettings = ImageSettings()
    disk_space: DiskSpaceSettings = DiskSpaceSettings()
    dataset_cache: DatasetCacheSettings = DatasetCacheSettings()

    @classmethod
    @override
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Let the environment override the file; `load_config` passes the file's values."""
        return (env_settings, init_settings)


def load_config(path: Path) -> AgentConfig:
    """Read the file, let the environment override it, and report all faults at once."""
    return AgentConfig(**TomlConfigSettingsSource(AgentConfig, toml_file=path)())
