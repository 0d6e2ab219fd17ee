"""Celery tasks of the demo."""

from celery import shared_task

from portal.demo import removal
from portal.demo.activity import rounds


@shared_task(name=removal.TASK, ignore_result=True)
def finish_removal() -> None:
    """Continue the removal of what was simulated, if one was requested."""
    removal.finish_removal()


@shared_task(name="demo.simulate_activity", ignore_result=True)
def simulate_activity() -> None:
    """Run one round of the simulated activity."""
    rounds.run_round()


@shared_task(name="demo.tidy_activity", ignore_result=True)
def tidy_activity() -> None:
    """Delete old work of the simulated activity."""
    rounds.tidy_up()
