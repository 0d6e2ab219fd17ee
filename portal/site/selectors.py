"""The settings in force: what administrators have set, else the installation's own."""

from portal.common.site_config import get_site_config
from portal.site.models import ROW_ID, SiteSettings
from portal.site.values import SettingsInForce, resolve_settings


def settings_for_system() -> SettingsInForce:
    """Return the settings in force now: one query, in the caller's transaction.

    Nothing is cached, so that a change holds at once in every process.
    """
    row = SiteSettings.objects.filter(pk=ROW_ID).first()
    return resolve_settings(row, get_site_config())
