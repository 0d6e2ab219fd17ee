"""The settings in force: what administrators have set, else the installation's own."""

from typing import Final

from portal.common.model_rows import ModelRows
from portal.common.site_config import get_site_config
from portal.site.carbon import CarbonFactors
from portal.site.days import SiteCalendar, SiteDays
from portal.site.models import ROW_ID, CarbonChange, SiteSettings, ZoneChange
from portal.site.values import SettingsInForce, resolve_settings

_SETTINGS: Final = ModelRows(SiteSettings, "site")
_ROW: Final = _SETTINGS.fill("SELECT {site} FROM site_sitesettings site WHERE id = %s")


def settings_for_system() -> SettingsInForce:
    """Return the settings in force now: one query, in the caller's transaction.

    Nothing is cached, so that a change holds at once in every process.
    """
    row = next(iter(_SETTINGS.fetch(_ROW, [ROW_ID])), None)
    return resolve_settings(row, get_site_config())


def calendar_for_system() -> SiteCalendar:
    """Return the days of the site since its beginning, with the zones of their time."""
    past = [
        (row.at, SiteDays(row.zone_before, row.days_from_before))
        for row in ZoneChange.objects.order_by("at")
    ]
    return SiteCalendar(tuple(past), settings_for_system().days)


def carbon_for_system() -> CarbonFactors:
    """Return the carbon factors of the site since its beginning."""
    past = CarbonChange.objects.order_by("at").values_list("at", "g_per_kwh_before")
    present = settings_for_system().carbon_g_per_kwh
    return CarbonFactors(calendar_for_system(), tuple(past), present)
