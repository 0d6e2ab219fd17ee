"""Endpoints of the site settings: the platform's staff reads them, administrators change them."""

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework.exceptions import ValidationError
from rest_framework.response import Response

from portal.audit.versions import SITE, read_version
from portal.common.actions import Action
from portal.common.clock import list_time_zones
from portal.common.rest.projection import project
from portal.common.rest.serializers import FieldFault, NoFilters
from portal.common.rest.views import ApiRequest, ApiView
from portal.common.site_config import get_site_config
from portal.site import services
from portal.site.api.serializers import SettingsInput, SettingsShape
from portal.site.models import ROW_ID
from portal.site.selectors import settings_for_system
from portal.site.values import BOUNDS, SettingsInForce, default_values
from portal.tenancy import policies


class SiteSettingsView(ApiView):
    """The settings of the whole site."""

    required_actions = {"GET": Action.SITE_VIEW, "PATCH": Action.SITE_MANAGE}
    versioned = ("PATCH",)

    @extend_schema(responses=SettingsShape)
    def get(self, request: ApiRequest) -> Response:
        """Return the settings in force, with their bounds and defaults."""
        NoFilters.parse(request)
        policies.require(request.actor, Action.SITE_VIEW, None)
        return Response(_present(settings_for_system()))

    @extend_schema(request=SettingsInput, responses=SettingsShape)
    def patch(self, request: ApiRequest) -> Response:
        """Change settings; they hold at once in every process, without a restart."""
        changes = SettingsInput.parse(request)
        _require_whole_or_known(changes.get("lease_ttl_s"))
        version = changes.pop("version", None)
        changed = services.change_settings(actor=request.actor, changes=changes, version=version)
        return Response(_present(changed))


def _require_whole_or_known(lease_ttl_s: float | None) -> None:
    """Refuse a lease with a fraction of a second, unless it is the one in force."""
    if isinstance(lease_ttl_s, float) and lease_ttl_s != settings_for_system().lease_ttl_s:
        raise ValidationError({"lease_ttl_s": [FieldFault("not_an_integer")]})


def _present(settings: SettingsInForce) -> dict[str, Any]:
    defaults = default_values(get_site_config())
    shown = {
        name: getattr(settings, name)
        for name in ("time_zone", "currency", "carbon_g_per_kwh", *BOUNDS)
    }
    shown["bounds"] = [
        {"name": name, "min": least, "max": most, "default": defaults[name]}
        for name, (least, most) in BOUNDS.items()
    ]
    shown |= {"time_zones": list_time_zones(), "version": read_version(SITE, ROW_ID)}
    return project(SettingsShape, shown)
