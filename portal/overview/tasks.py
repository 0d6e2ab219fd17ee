"""Celery tasks of the overview: what its first reader would wait for is found out before."""

from celery import shared_task

from portal.overview import held_gpus, near_limits, selectors


@shared_task(name="overview.renew_live_facts", ignore_result=True)
def renew_live_facts() -> None:
    """Find out which GPUs are held and idle, and how much of budgets is used."""
    held_gpus.renew_idle_facts()
    near_limits.renew_budget_uses()


@shared_task(name="overview.renew_recent_use", ignore_result=True)
def renew_recent_use() -> None:
    """Sum up the last 24 hours of the whole cluster."""
    selectors.renew_recent_use_for_system()
