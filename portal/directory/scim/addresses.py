"""Addresses of the SCIM server."""

from typing import Final

from portal.common.site_config import get_site_config

ROOT: Final = "scim/v2"
DOCUMENTATION: Final = "https://www.rfc-editor.org/rfc/rfc7644"


def location_of(kind: str, resource_id: object) -> str:
    """Return where a resource is, `kind` being `Users`, `Groups`, `Schemas` or `ResourceTypes`."""
    return f"{get_site_config().portal_url}/{ROOT}/{kind}/{resource_id}"
