"""`manage.py check` warns of a reverse proxy that has no name: with TLS there must be one."""

from typing import Any

from django.core.checks import Warning as Advice

from portal.common.site_config import get_site_config


def check_proxy_is_named(**_: Any) -> list[Advice]:
    """Return a warning where pages come by TLS and no proxy is trusted: all people share one address."""
    site = get_site_config()
    if site.trusted_proxies or not site.portal_url.startswith("https:"):
        return []
    return [
        Advice(
            "BERTH_PORTAL_URL is https, and BERTH_TRUSTED_PROXIES names no proxy.",
            hint="Name the proxy that ends TLS: everybody behind it shares its limits of sign-in.",
            id="berth.W001",
        )
    ]
