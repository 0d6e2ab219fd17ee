"""The scheduler as a Django application: no models of its own."""

from django.apps import AppConfig


class SchedulerConfig(AppConfig):
    """The application `scheduler`."""

    name = "scheduler.runtime"
    label = "scheduler"
