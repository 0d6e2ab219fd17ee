"""Values of the site settings: bounds, defaults, and what is in force for a row; no queries."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Final

from portal.common.site_config import SiteConfig
from portal.site.days import SiteDays
from portal.site.models import SiteSettings
from scheduler.core.model.policy import FairSharePolicy

_DAY_S: Final = 24 * 3600
HALF_LIFE_S_MIN: Final = 3600
"""Below an hour, use is forgotten faster than work of a usual length ends."""
HALF_LIFE_S_MAX: Final = 365 * _DAY_S
"""Half-life of decayed GPU use."""
ENTRY_PENALTY_S_MAX: Final = _DAY_S
"""GPU time that a start counts as at once."""
KEPT_DAYS_MAX: Final = 3650
"""How long files of ended work may be kept."""
RAW_SAMPLES_KEPT_DAYS: Final = (1, 30)
"""How long every sample may be kept: a node sends one of each card and container every few seconds."""
MINUTE_SAMPLES_KEPT_DAYS: Final = (7, 400)
"""How long samples by the minute may be kept."""
HOUR_SAMPLES_KEPT_DAYS: Final = (31, 3650)
"""How long samples by the hour may be kept."""
LEAVERS_STOP_AFTER_H_MAX: Final = 30 * 24
"""How long running work of people who left may continue before it is stopped."""
GROUP_RESERVATION_S_MAX: Final = 14 * _DAY_S
"""Longest advance reservation that group admins may be allowed to make without staff."""
GROUP_RESERVATION_AHEAD_DAYS_MAX: Final = 366
"""How far ahead it may be allowed to begin."""
GROUP_ALARM_RULES_MAX: Final = 50
"""Alarm rules of one group that its admins may be allowed to have."""
GROUP_STUDIES_MAX: Final = 5
"""What-if studies of one group that may be allowed to wait at a time."""
LEASE_TTL_S_MIN: Final = 10
"""Shortest lease; three heartbeats must fit into it as well."""
LEASE_TTL_S_MAX: Final = 600
"""How long work may run on a node that the portal does not reach; as far as the protocol goes."""

CURRENCY_DEFAULT: Final = "CNY"

BOUNDS: Final[Mapping[str, tuple[int, int]]] = {
    "half_life_s": (HALF_LIFE_S_MIN, HALF_LIFE_S_MAX),
    "entry_penalty_s": (0, ENTRY_PENALTY_S_MAX),
    "workspaces_kept_days": (0, KEPT_DAYS_MAX),
    "outputs_kept_days": (1, KEPT_DAYS_MAX),
    "lease_ttl_s": (LEASE_TTL_S_MIN, LEASE_TTL_S_MAX),
    "raw_samples_kept_days": RAW_SAMPLES_KEPT_DAYS,
    "minute_samples_kept_days": MINUTE_SAMPLES_KEPT_DAYS,
    "hour_samples_kept_days": HOUR_SAMPLES_KEPT_DAYS,
    "leavers_stop_after_h": (0, LEAVERS_STOP_AFTER_H_MAX),
    "group_reservation_s_max": (0, GROUP_RESERVATION_S_MAX),
    "group_reservation_ahead_days": (1, GROUP_RESERVATION_AHEAD_DAYS_MAX),
    "group_alarm_rules_max": (0, GROUP_ALARM_RULES_MAX),
    "group_studies_max": (0, GROUP_STUDIES_MAX),
}
"""Smallest and largest value of each number."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SettingsInForce:
    """Every site setting with its value of this moment."""

    days: SiteDays
    half_life_s: int
    entry_penalty_s: int
    workspaces_kept_days: int
    outputs_kept_days: int
    currency: str
    """ISO 4217 code of prices that are set from now on."""
    carbon_g_per_kwh: list[int]
    """One factor, one for each hour of the day, or none."""
    lease_ttl_s: float
    """A fraction only where the installation's own default is one."""
    raw_samples_kept_days: int
    minute_samples_kept_days: int
    hour_samples_kept_days: int
    leavers_stop_after_h: int
    """0 is never: it continues to its time limit."""
    group_reservation_s_max: int
    """Longest advance reservation that group admins make without staff; 0 is none."""
    group_reservation_ahead_days: int
    """How far ahead it may begin."""
    group_alarm_rules_max: int
    """Alarm rules that admins of a group have for it; 0 is none."""
    group_studies_max: int
    """What-if studies of one group that wait at a time; 0: group admins ask for none."""

    @property
    def time_zone(self) -> str:
        """The IANA name of the site's time zone."""
        return self.days.zone

    @property
    def fair_share(self) -> FairSharePolicy:
        """How past use orders groups and members."""
        return FairSharePolicy(half_life_s=self.half_life_s, entry_penalty_s=self.entry_penalty_s)

    @property
    def lease_ttl(self) -> timedelta:
        """How long work may run after the last answered heartbeat of its node."""
        return timedelta(seconds=self.lease_ttl_s)


def resolve_settings(row: SiteSettings | None, config: SiteConfig) -> SettingsInForce:
    """Return what a row sets, and the default for everything that it leaves out."""
    values: dict[str, Any] = {**default_values(config), "currency": CURRENCY_DEFAULT}
    values["carbon_g_per_kwh"] = []
    if row is None:
        return SettingsInForce(days=SiteDays(config.time_zone), **values)
    values |= {name: value for name in BOUNDS if (value := getattr(row, name)) is not None}
    values["currency"] = row.currency or CURRENCY_DEFAULT
    values["carbon_g_per_kwh"] = row.carbon_g_per_kwh
    return SettingsInForce(days=SiteDays(row.time_zone, row.days_from), **values)


def default_values(config: SiteConfig) -> dict[str, int | float]:
    """Return the default of each number: the product's, or one of the installation's environment."""
    product = FairSharePolicy()
    return {
        "half_life_s": product.half_life_s,
        "entry_penalty_s": product.entry_penalty_s,
        "workspaces_kept_days": config.workspaces_kept_days,
        "outputs_kept_days": config.outputs_kept_days,
        "lease_ttl_s": config.lease_ttl_s,
        "raw_samples_kept_days": 2,
        "minute_samples_kept_days": 35,
        "hour_samples_kept_days": 3 * 365,
        "leavers_stop_after_h": 0,
        "group_reservation_s_max": 3 * _DAY_S,
        "group_reservation_ahead_days": 30,
        "group_alarm_rules_max": 10,
        "group_studies_max": 2,
    }
