"""The Django application: its table keeps the name that it was made under."""

from django.apps import AppConfig


class NotebooksConfig(AppConfig):
    """Notebooks and their schedules."""

    name = "portal.notebooks"
    label = "environments"
    """Under which databases know its migrations and table; by another, processes of the version before lose it."""
