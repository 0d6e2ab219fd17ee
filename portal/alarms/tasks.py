"""Celery tasks of alarms."""

from celery import shared_task

from portal.alarms import acts, delivery, evaluation, outbox
from portal.inventory.models import Node


@shared_task(name=evaluation.EVALUATE_TASK, ignore_result=True)
def evaluate() -> None:
    """Hold every rule against the facts, notify, and do what rules say; nothing before there is a node."""
    if not Node.objects.exists():
        return
    evaluation.evaluate_alarms()
    acts.act_on_alarms()


@shared_task(name=outbox.DELIVER_TASK, ignore_result=True)
def deliver() -> None:
    """Send the messages that are due."""
    delivery.deliver_alarms()


@shared_task(name="alarms.delete_old", ignore_result=True)
def delete_old() -> None:
    """Delete alarms that resolved long ago."""
    evaluation.delete_old_alarms()
