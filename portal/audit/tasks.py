"""Background tasks of the audit log."""

from celery import shared_task

from portal.audit import chain, denials


@shared_task(name="audit.seal", ignore_result=True)
def seal() -> None:
    """Sum up repeated denials, and seal what has been written."""
    denials.sum_up_repeats()
    chain.seal_events()
