"""The configuration of this installation, for code that does not read Django's settings.

`portal.config` is the only package that reads environment and settings. It builds one `SiteConfig`
and installs it at start-up; everything else calls `get_site_config()`. Tests vary single values with
`override_site_config(...)`, for the length of a block.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from ipaddress import IPv4Network, IPv6Network
from pathlib import Path
from typing import Any, Final


@dataclass(frozen=True, slots=True, kw_only=True)
class SiteConfig:
    """What differs between installations; `portal.config.env` documents the variables."""

    secret_key: str
    encryption_keys: tuple[str, ...]
    """Of stored secrets; the first encrypts, all decrypt."""
    portal_url: str
    """Origin of pages and API."""
    apps_url: str
    """Origin of notebooks."""
    ssh_port: int
    """0 is none."""
    sends_mail: bool
    """Whether a mail server is configured."""
    password_reset_s: int
    """How long the address in a mail sets a new password."""
    trusted_proxies: tuple[IPv4Network | IPv6Network, ...]
    metrics_token: str
    """Empty is no metrics."""
    request_body_max: int
    """Bytes of a request to the API."""
    redis_url: str
    storage_dir: Path
    disk_mib_max: int
    """0 is no limit."""
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
    """How old the nodes and quotas may be on which a submission is let in."""


_installed: Final[list[SiteConfig]] = []
"""The present configuration is the last one; below it are those that a test has overridden."""


def install_site_config(config: SiteConfig) -> None:
    """Set the configuration of this process."""
    _installed[:] = [config]


def get_site_config() -> SiteConfig:
    """Return the configuration of this process; raises `LookupError` before start-up."""
    return _installed[-1]


@contextmanager
def override_site_config(**changes: Any) -> Iterator[SiteConfig]:
    """Change values inside the block, in all threads; for tests."""
    changed = replace(get_site_config(), **changes)
    _installed.append(changed)
    try:
        yield changed
    finally:
        _installed.remove(changed)
