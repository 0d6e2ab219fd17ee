"""The Django application: connects the audit log to what django-allauth reports."""

from importlib import import_module

from django.apps import AppConfig
from typing_extensions import override


class IdentityConfig(AppConfig):
    """Users, sign-in, tokens and keys."""

    name = "portal.identity"

    @override
    def ready(self) -> None:
        """Connect the audit log; models can be imported only now."""
        for name in ("second_factors", "password_reset"):
            import_module(f"portal.identity.{name}").connect_audit_log()
