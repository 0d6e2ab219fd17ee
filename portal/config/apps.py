"""The composition root as a Django application: hands the settings to the other ones."""

from importlib import import_module

from django.apps import AppConfig
from django.conf import settings
from django.core.checks import Tags, register
from typing_extensions import override

from portal.common.postgresql.base import follow_time
from portal.common.site_config import install_site_config
from portal.config.checks.migrations import check_migrations
from portal.config.checks.proxies import check_proxy_is_named


class CompositionConfig(AppConfig):
    """Installs the site's configuration once Django is set up."""

    name = "portal.config"
    label = "composition"

    @override
    def ready(self) -> None:
        """Make configuration and time available to code that reads no settings; register our checks."""
        install_site_config(settings.SITE)
        import_module("portal.config.answers").install_answers()  # models can be imported only now
        if settings.FOLLOWS_DATABASE_CLOCK:
            follow_time()
        register(check_migrations, Tags.database)
        register(check_proxy_is_named, Tags.security)
