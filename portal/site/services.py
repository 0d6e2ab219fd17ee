"""Changing the settings of the site; every change is in the audit log with what was before."""

from collections.abc import Mapping
from typing import Any, Final

from django.db import transaction

from portal.audit import services as audit
from portal.audit.versions import SITE, require_version
from portal.common.actions import Action
from portal.common.actor import Actor
from portal.common.clock import list_time_zones, now
from portal.common.errors import InvalidError
from portal.common.notifications import wake_scheduler
from portal.common.site_config import SiteConfig, get_site_config
from portal.site.carbon import FACTOR_MAX, LENGTHS
from portal.site.models import ROW_ID, CarbonChange, SiteSettings, ZoneChange
from portal.site.values import BOUNDS, SettingsInForce, resolve_settings
from portal.tenancy import policies

SAMPLES_KEPT: Final = (
    "raw_samples_kept_days",
    "minute_samples_kept_days",
    "hour_samples_kept_days",
)
"""From the finest samples to the coarsest."""
HEARTBEATS_PER_LEASE = 3
"""So many heartbeats may be lost before the work of a node is stopped."""


@transaction.atomic
def change_settings(
    *, actor: Actor, changes: Mapping[str, Any], version: int | None = None
) -> SettingsInForce:
    """Change settings, null back to the default; return all that are in force now.

    A value that is in force already changes nothing: a default of the installation may be one that nobody
    could set here.

    Raises:
        InvalidError: a value that means nothing, is out of its bounds, or is unsafe beside another.
        ConflictError: `version`, which the caller read, is not the present one.
    """
    policies.require(actor, Action.SITE_MANAGE, None)
    config = get_site_config()
    SiteSettings.objects.bulk_create(
        [SiteSettings(id=ROW_ID, time_zone=config.time_zone)], ignore_conflicts=True
    )
    row = SiteSettings.objects.select_for_update().get(pk=ROW_ID)
    require_version(SITE, ROW_ID, version)
    before = resolve_settings(row, config)
    changes = {name: value for name, value in changes.items() if value != getattr(before, name)}
    _require_valid(changes, config)
    for name in BOUNDS.keys() & changes.keys():
        setattr(row, name, changes[name])
    zone = changes.get("time_zone", row.time_zone)
    if zone != row.time_zone:
        moment = now()
        ZoneChange.objects.create(
            at=moment, zone_before=row.time_zone, days_from_before=row.days_from
        )
        days = before.days.moved_to(zone, moment)
        row.time_zone, row.days_from = days.zone, days.days_from
    if "currency" in changes:
        row.currency = changes["currency"] or ""
    factors = changes.get("carbon_g_per_kwh", row.carbon_g_per_kwh) or []
    if factors != row.carbon_g_per_kwh:
        CarbonChange.objects.create(at=now(), g_per_kwh_before=row.carbon_g_per_kwh)
        row.carbon_g_per_kwh = factors
    after = resolve_settings(row, config)
    _require_samples_in_order(after)
    row.save()
    if changed := _changed(before, after):
        audit.record_event(
            actor=actor,
            action="site.change",
            object_type="site",
            object_id=ROW_ID,
            params=changed,
        )
        wake_scheduler()
    return after


def _require_valid(changes: Mapping[str, Any], config: SiteConfig) -> None:
    zone = changes.get("time_zone")
    if zone is not None and zone not in list_time_zones():
        raise InvalidError("unknown_time_zone", pointer="/time_zone", zone=str(zone)[:64])
    for name, (least, most) in BOUNDS.items():
        value = changes.get(name)
        if value is not None and not least <= value <= most:
            raise InvalidError(
                "setting_out_of_bounds", pointer=f"/{name}", setting=name, min=least, max=most
            )
    factors = changes.get("carbon_g_per_kwh") or []
    if factors and len(factors) not in LENGTHS:
        raise InvalidError("carbon_not_by_hour", pointer="/carbon_g_per_kwh")
    if not all(0 <= factor <= FACTOR_MAX for factor in factors):
        raise InvalidError(
            "setting_out_of_bounds",
            pointer="/carbon_g_per_kwh",
            setting="carbon_g_per_kwh",
            min=0,
            max=FACTOR_MAX,
        )
    lease_ttl_s = changes.get("lease_ttl_s")
    least_s = HEARTBEATS_PER_LEASE * config.heartbeat_s
    if lease_ttl_s is not None and lease_ttl_s < least_s:
        raise InvalidError("lease_too_short", pointer="/lease_ttl_s", min=round(least_s))


def _require_samples_in_order(after: SettingsInForce) -> None:
    """Refuse to keep coarse samples shorter than the finer ones that they are made from."""
    kept = [getattr(after, name) for name in SAMPLES_KEPT]
    for finer, coarser, name in zip(kept, kept[1:], SAMPLES_KEPT[1:], strict=False):
        if coarser < finer:
            raise InvalidError("samples_kept_too_short", pointer=f"/{name}", min=finer)


def _changed(before: SettingsInForce, after: SettingsInForce) -> dict[str, Any]:
    """Return every setting that differs, with its value before and after."""
    return {
        name: {"before": getattr(before, name), "after": getattr(after, name)}
        for name in ("time_zone", "currency", "carbon_g_per_kwh", *BOUNDS)
        if getattr(before, name) != getattr(after, name)
    }
