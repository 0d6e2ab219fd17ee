"""Celery tasks that are composed of parts of several apps."""

from celery import shared_task

from portal.config.cluster_rounds import KUBERNETES_ROUNDS, SLURM_ROUNDS


@shared_task(name="composition.run_slurm", ignore_result=True)
def run_slurm() -> None:
    """Run a round of each pool whose work Slurm runs."""
    SLURM_ROUNDS.run_all()


@shared_task(name="composition.run_kubernetes", ignore_result=True)
def run_kubernetes() -> None:
    """Run a round of each pool whose work Kubernetes runs."""
    KUBERNETES_ROUNDS.run_all()
