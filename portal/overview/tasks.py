"""Celery tasks of the overview: what its first reader would wait for is found out before."""

from celery import shared_task

from portal.overview import held_gpus, near_limits, selectors


@shared_task(name="overview.refresh_live_facts", ignore_result=True)
def refresh_live_facts() -> None:
    """Find out which GPUs are held and idle, and how much of budgets is used."""
    held_gpus.refresh_idle_facts()
    near_limits.refresh_budget_uses()


@shared_task(name="overview.refresh_recent_use", ignore_result=True)
def refresh_recent_use() -> None:
    """Sum up the last 24 hours of the whole cluster."""
    selectors.refresh_recent_use_for_system()
