"""Background task of training metrics."""

from datetime import timedelta

from celery import shared_task

from portal.common.clock import now
from portal.site.selectors import settings_for_system
from portal.training_metrics import services


@shared_task(name="training_metrics.delete_expired", ignore_result=True)
def delete_expired() -> None:
    """Delete the metrics of jobs that reported nothing for as long as samples by the hour are kept."""
    kept = timedelta(days=settings_for_system().hour_samples_kept_days)
    services.delete_expired(now() - kept)
