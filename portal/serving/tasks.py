"""Celery tasks of services."""

from celery import shared_task

from portal.serving import forecasts, reconcile


@shared_task(name="serving.reconcile", ignore_result=True)
def reconcile_services() -> None:
    """Bring the replicas of every service to what is wanted of them."""
    reconcile.reconcile_services()


@shared_task(name="serving.forecast", ignore_result=True)
def forecast_services() -> None:
    """Forecast the demand of services whose forecast is of an hour before this one."""
    forecasts.forecast_services()
