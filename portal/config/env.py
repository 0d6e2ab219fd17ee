"""Every environment variable of the server side, typed; all faults are reported at once."""

from ipaddress import ip_network
from pathlib import Path
from typing import Annotated, Literal

from pydantic import AfterValidator, Field, SecretStr, StringConstraints
from pydantic_settings import BaseSettings, SettingsConfigDict

from wire.values import PORT_MAX

Url = Annotated[str, StringConstraints(pattern=r"^https?://[^/\s]+$")]


def networks(text: str) -> str:
    """Return addresses and networks, told with commas, without spaces; raise ValueError at others."""
    return ",".join(str(ip_network(part.strip())) for part in text.split(",") if part.strip())


Networks = Annotated[str, AfterValidator(networks)]


class Env(BaseSettings):
    """Read from `BERTH_*`; a secret may also be a file in `/run/secrets`."""

    model_config = SettingsConfigDict(env_prefix="BERTH_")

    secret_key: SecretStr
    database_url: str
    """`postgresql://user:password@host:port/name`; a socket folder as `?host=/path`."""
    redis_url: str = "redis://127.0.0.1:6379/0"
    portal_url: Url = "http://127.0.0.1:8000"
    """Origin under which browsers and pipelines reach the portal (the live process)."""
    apps_url: Url = "http://localhost:8001"
    """Origin of user content; never the portal's own."""
    web_upstream: Url = "http://127.0.0.1:8002"
    """Where the live process finds the web process."""
    trusted_proxies: Networks = ""
    """Whose `X-Forwarded-For` is believed besides this machine's own: `10.0.0.0/8, 192.0.2.7`."""
    storage_dir: Path = Path("var/storage")
    """Shared storage: `workspaces/<workload>`, `outputs/<workload>`, `logs/<workload>`."""
    workspaces_kept_days: Annotated[int, Field(ge=0, le=3650)] = 7
    """How long the files of a deleted notebook can still be rescued."""
    outputs_kept_days: Annotated[int, Field(ge=1, le=3650)] = 90
    """How long outputs and log of a job outlive it."""
    disk_mib_max: Annotated[int, Field(ge=0, le=2**40)] = 200 * 1024
    """What the folder of one notebook or job may grow to; 0 is no limit."""
    frontend_dir: Path = Path("frontend/dist")
    ssh_port: Annotated[int, Field(ge=0, le=PORT_MAX)] = 0
    """Where the live process takes SSH connections into running work; 0 is nowhere."""
    ssh_host: str = "127.0.0.1"
    """Address to listen on for them."""
    ssh_host_key: Path = Path("var/ssh_host_ed25519_key")
    """Made on the first start; keep it, or every client is warned of a stranger."""
    debug: bool = False
    log_level: Literal["DEBUG", "INFO", "WARNING", "ERROR"] = "INFO"
    heartbeat_s: Annotated[float, Field(ge=0.1, le=60)] = 5
    """Between two heartbeats of a quiet node."""
    lease_ttl_s: Annotated[float, Field(ge=1, le=600)] = 30
    """How long work may run after the last heartbeat of its node that was answered."""
    lease_grace_s: Annotated[float, Field(ge=0.5, le=600)] = 15
    """How long the server waits beyond that before it gives the work to another node."""
    node_key_life_s: Annotated[int, Field(ge=60, le=366 * 24 * 3600)] = 30 * 24 * 3600
    """Of a node's key; the agent asks for the next one after two thirds of it."""
    sweep_s: Annotated[float, Field(ge=0.1, le=60)] = 5
    """Between two looks for what nobody has told of: silent nodes, time limits, idle notebooks."""
    metrics_token: Annotated[SecretStr, Field(max_length=200)] = SecretStr("")
    """What Prometheus shows to read `/metrics`; empty means that there is no such address."""
    web_threads_db_max: Annotated[int, Field(ge=1, le=64)] = 8
    """Connections of one web process to the database."""

    @property
    def broker_url(self) -> str:
        """The same Redis as Celery spells it: a socket path has a scheme of its own there."""
        if not self.redis_url.startswith("unix://"):
            return self.redis_url
        path, _, database = self.redis_url.removeprefix("unix://").partition("?db=")
        return f"redis+socket://{path}?virtual_host={database or 0}"
