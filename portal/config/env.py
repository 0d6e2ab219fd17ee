"""Every environment variable of the server, typed; all faults are reported at once."""

import shlex
from ipaddress import ip_network
from pathlib import Path
from typing import Annotated, Final, Literal, Self
from urllib.parse import urlsplit
from zoneinfo import available_timezones

from pydantic import AfterValidator, Field, SecretStr, StringConstraints, model_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

from portal.common.origins import HostPattern
from wire.values import PORT_MAX

SECRET_FILES: Final = Path("/run/secrets")
"""Where containers find their secrets."""
Registry = Annotated[
    str, StringConstraints(pattern=r"^([a-z0-9][a-z0-9.-]*(:[0-9]{1,5})?)?$", max_length=100)
]
Url = Annotated[str, StringConstraints(pattern=r"^https?://[^/\s]+$")]
Urls = Annotated[str, StringConstraints(pattern=r"^https?://[^/\s,]+(,https?://[^/\s,]+)*$")]


def normalize_networks(text: str) -> str:
    """Return comma-separated addresses and networks without spaces; raises ValueError for others."""
    return ",".join(str(ip_network(part.strip())) for part in text.split(",") if part.strip())


def require_time_zone(name: str) -> str:
    """Return the name of a time zone; raises ValueError for others."""
    if name not in available_timezones():
        raise ValueError("not the IANA name of a time zone")
    return name


def require_mail_url(url: SecretStr) -> SecretStr:
    """Return the address of a mail server; raises ValueError for what is none."""
    parts = urlsplit(url.get_secret_value())
    if url.get_secret_value() and (parts.scheme not in ("smtp", "smtps") or not parts.hostname):
        raise ValueError("not smtp://host:port or smtps://host:port")
    return url


def require_scanner(command: str) -> str:
    """Return the command of a scanner; raises ValueError for one that names no image."""
    if command and not any("{image}" in word for word in shlex.split(command)):
        raise ValueError("a command with {image} in it is needed")
    return command


def require_folder_below(path: str) -> str:
    """Return a path without steps up or to the root; raises ValueError for another one."""
    parts = path.split("/") if path else []
    if any(part in ("", ".", "..") for part in parts):
        raise ValueError("a relative path such as .zfs/snapshot is needed")
    return path


def require_host_pattern(text: str) -> str:
    """Return a pattern of hosts; raises ValueError for what is none."""
    if text:
        HostPattern.parse(text)
    return text


Networks = Annotated[str, AfterValidator(normalize_networks)]


class Env(BaseSettings):
    """Read from `BERTH_*`; a value may also be a file in `/run/secrets`, such as `berth_secret_key`."""

    model_config = SettingsConfigDict(
        env_prefix="BERTH_",
        # A folder that is not there would be a warning.
        secrets_dir=SECRET_FILES if SECRET_FILES.is_dir() else None,
    )

    secret_key: SecretStr
    encryption_keys: SecretStr = SecretStr("")
    """Keys of stored secrets, separated by spaces; the first encrypts, all decrypt. Empty: the
    secret key, which always decrypts."""
    database_url: str
    """`postgresql://user:password@host:port/name`; a socket folder as `?host=/path`."""
    redis_url: str = "redis://127.0.0.1:6379/0"
    portal_url: Url = "http://127.0.0.1:8000"
    """Origin under which browsers and pipelines reach the portal (the live process)."""
    apps_url: Url = "http://localhost:8001"
    """Origin of user content; never the portal's own."""
    apps_hosts: Annotated[str, AfterValidator(require_host_pattern)] = ""
    """Origins of web apps that need a host of their own: `https://*.apps.example.org`, with the scheme of
    `apps_url`, and a domain that is neither above nor below the portal's host. Empty: there are none."""
    inference_url: Url = "http://127.0.0.1:8003"
    """Origin under which programs reach services (the inference gateway)."""
    web_upstream: Urls = "http://127.0.0.1:8002"
    """Addresses of the web processes, separated by commas."""
    live_url: str = ""
    """Where other live processes reach this one; by default, where it listens."""
    trusted_proxies: Networks = ""
    """Proxies whose `X-Forwarded-For` is trusted, besides this machine: `10.0.0.0/8, 192.0.2.7`."""
    hsts_s: Annotated[int, Field(ge=0, le=2 * 365 * 24 * 3600)] = 365 * 24 * 3600
    """For how long browsers are to insist on TLS; only with `https` origins. 0 sends no such header."""
    connections_per_address_max: Annotated[int, Field(ge=16, le=100_000)] = 1024
    """Open connections of one client address; this machine and trusted proxies are not counted,
    the clients behind them are, by their requests and sockets."""
    time_zone: Annotated[str, AfterValidator(require_time_zone)] = "UTC"
    """IANA zone that the first start writes into the site settings; later changes are made there."""
    storage_dir: Path = Path("var/storage")
    """Shared storage: `volumes/<volume>`, `workspaces/<workload>`, `outputs/<workload>`,
    `published/<version of a data set>`, `logs/<workload>`."""
    snapshots_dir: Annotated[str, AfterValidator(require_folder_below)] = ""
    """Folder below `storage_dir` in which its file system shows snapshots, such as `.zfs/snapshot`, `.snap` or
    `.snapshot`; empty: none are shown."""
    datasets_dir: Path | None = None
    """The nodes' folder of data sets, where this machine has it too: then SFTP shows them, read-only."""
    workspaces_kept_days: Annotated[int, Field(ge=0, le=3650)] = 7
    """How long the files of a deleted notebook are kept."""
    outputs_kept_days: Annotated[int, Field(ge=1, le=3650)] = 90
    """How long outputs and log of a job are kept after its end."""
    disk_mib_max: Annotated[int, Field(ge=0, le=2**40)] = 200 * 1024
    """Size limit of the folder of one notebook or job; 0 is no limit."""
    home_mib: Annotated[int, Field(ge=0, le=2**40)] = 50 * 1024
    """Quota of a home when it is made; 0 is no limit."""
    group_volume_mib_max: Annotated[int, Field(ge=1, le=2**40)] = 1024 * 1024
    """Largest quota that a group admin may give a volume; platform admins may give more."""
    group_datasets_mib_max: Annotated[int, Field(ge=0, le=2**40)] = 1024 * 1024
    """How much all versions that are published to one group's data sets may hold; 0 is no limit."""
    registry: Registry = ""
    """Registry of saved images, `host` or `host:port` as nodes reach it; empty: notebooks cannot be
    saved as images."""
    registry_url: Annotated[str, StringConstraints(pattern=r"^(https?://[^/\s]+)?$")] = ""
    """How the portal reaches it; by default `https://` and the registry."""
    registry_username: str = ""
    """Login of nodes and portal; empty is none."""
    registry_password: SecretStr = SecretStr("")
    saved_image_mib_max: Annotated[int, Field(ge=1, le=2**40)] = 50 * 1024
    """How large one saved image may be, unpacked."""
    saved_images_mib_max: Annotated[int, Field(ge=1, le=2**40)] = 200 * 1024
    """How large all saved images of one person may be."""
    image_scanner: Annotated[str, AfterValidator(require_scanner)] = ""
    """Command that looks for vulnerabilities, in words as a shell splits them, with `{image}` for the
    reference: `trivy image --quiet --format json {image}`. Empty: images are not scanned."""
    image_scan_s: Annotated[int, Field(ge=10, le=6 * 3600)] = 1800
    """How long one scan may take."""
    image_scan_days: Annotated[int, Field(ge=1, le=365)] = 7
    """After so many days an image is scanned again: more is known by then."""
    frontend_dir: Path = Path("frontend/dist")
    ssh_port: Annotated[int, Field(ge=0, le=PORT_MAX)] = 0
    """Port of SSH into running work; 0 is none."""
    ssh_host: str = "127.0.0.1"
    """Address to listen on for SSH."""
    ssh_host_key: Path = Path("var/ssh_host_ed25519_key")
    """Generated on the first start; keep it, or every client warns of a changed host key."""
    email_url: Annotated[SecretStr, AfterValidator(require_mail_url)] = SecretStr("")
    """Mail server: `smtp://user:password@host:587` (STARTTLS), `smtps://…:465`; with `?plain=1`,
    unencrypted, for one on this machine. Empty: no mail is sent, and passwords are reset by
    administrators only."""
    email_from: str = ""
    """Sender of mails; by default `berth@` and the host of the portal."""
    webhook_networks: Networks = ""
    """Private networks that webhooks of alarms may reach, also without TLS: `10.1.0.0/16, 192.0.2.7`."""
    personal_channels: bool = True
    """Whether people may have their notices sent to a webhook or a chat of their own."""
    personal_webhook_networks: Networks = ""
    """Private networks that these webhooks may reach: anybody can then send requests there."""
    debug: bool = False
    log_level: Literal["DEBUG", "INFO", "WARNING", "ERROR"] = "INFO"
    heartbeat_s: Annotated[float, Field(ge=0.1, le=60)] = 5
    """Between two heartbeats of a quiet node."""
    lease_ttl_s: Annotated[float, Field(ge=1, le=600)] = 30
    """How long work may run after the last heartbeat of its node that was answered."""
    lease_grace_s: Annotated[float, Field(ge=0.5, le=600)] = 15
    """How long the server waits beyond that before it gives the work to another node."""
    node_key_life_s: Annotated[int, Field(ge=60, le=366 * 24 * 3600)] = 30 * 24 * 3600
    """Validity of a node's key; the agent rotates it after two thirds of this time."""
    sweep_s: Annotated[float, Field(ge=0.1, le=60)] = 5
    """Between two checks for silent nodes, time limits and idle notebooks."""
    store_file: Path | None = None
    """Object stores from which data sets are published; see docs/admin/storage.md. None: there is none."""
    beat_file: Path | None = None
    """File that the beat touches whenever it looks at its timetable; None: it touches none."""
    fence_file: Path | None = None
    """Commands that switch silent nodes off; see docs/admin/silence.md. None: nothing is fenced."""
    metrics_token: Annotated[SecretStr, Field(max_length=200)] = SecretStr("")
    """Bearer token for `/metrics`; empty disables the endpoint."""
    demo: bool = False
    """Set by `make run` alone: a past and activity may be simulated here. Never where people work."""
    web_threads_db_max: Annotated[int, Field(ge=1, le=64)] = 8
    """Connections of one web process to the database."""

    @model_validator(mode="after")
    def _require_hosts_apart(self) -> Self:
        """Keep the cookies of apps from the portal, and its own from them."""
        pattern = HostPattern.parse(self.apps_hosts) if self.apps_hosts else None
        if pattern and pattern.shares_cookies_with(self.portal_url):
            raise ValueError("apps_hosts: its domain is above or below the host of portal_url")
        if pattern and pattern.scheme != urlsplit(self.apps_url).scheme:
            raise ValueError("apps_hosts: its scheme is not that of apps_url")
        return self

    @property
    def all_encryption_keys(self) -> tuple[str, ...]:
        """The keys of stored secrets; the secret key is the last of them."""
        own = self.encryption_keys.get_secret_value().split()
        return (*own, self.secret_key.get_secret_value())

    @property
    def broker_url(self) -> str:
        """The same Redis as Celery spells it: a socket path has a scheme of its own there."""
        if not self.redis_url.startswith("unix://"):
            return self.redis_url
        path, _, database = self.redis_url.removeprefix("unix://").partition("?db=")
        return f"redis+socket://{path}?virtual_host={database or 0}"
