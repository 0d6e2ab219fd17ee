"""The scheduler as a Django application: no models of its own."""

from django.apps import AppConfig


class SchedulerConfig(AppConfig):
    """Names it after what it does, not after its folder."""

    name = "scheduler.runtime"
    label = "scheduler"
