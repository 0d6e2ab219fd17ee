"""Celery tasks of workloads."""

from datetime import timedelta

from celery import shared_task

from portal.common.site_config import get_site_config
from portal.site.selectors import settings_for_system
from portal.workloads import owner_notices, retention, start_accuracy
from portal.workloads.departures import leavers
from portal.workloads.operations import fencing
from portal.workloads.sweep import run_sweep
from portal.workloads.volume_sizes import follow_sizes


@shared_task(name="workloads.sweep", ignore_result=True)
def sweep() -> None:
    """Do everything that is due by time."""
    run_sweep(heartbeat=timedelta(seconds=get_site_config().heartbeat_s))


@shared_task(name="workloads.fence_silent_nodes", ignore_result=True)
def fence_silent_nodes() -> None:
    """Run the fence commands that are due."""
    site = get_site_config()
    heartbeat = timedelta(seconds=site.heartbeat_s)
    fencing.fence_silent_nodes(
        site.fence_commands, heartbeat=heartbeat, run=fencing.run_fence_command
    )


@shared_task(name="workloads.follow_leavers", ignore_result=True)
def follow_leavers() -> None:
    """Look whose work is that of people who may not submit any more, tell heads, and stop what is due."""
    leavers.follow_leavers()


@shared_task(name="workloads.notify_owners", ignore_result=True)
def notify_owners() -> None:
    """Notify owners of what happened to their work."""
    owner_notices.notify_owners()


@shared_task(name="workloads.judge_expected_starts", ignore_result=True)
def judge_expected_starts() -> None:
    """Count by how much expected starts of what has started since were off."""
    start_accuracy.judge_expected_starts()


@shared_task(name="workloads.tidy_storage", ignore_result=True)
def tidy_storage() -> None:
    """Remove the folders of work that ended long enough ago."""
    settings = settings_for_system()
    workspaces = timedelta(days=settings.workspaces_kept_days)
    outputs = timedelta(days=settings.outputs_kept_days)
    kinds = [
        retention.RetainedFolder("workspaces", workspaces),
        retention.RetainedFolder("outputs", outputs),
        retention.RetainedFolder("logs", outputs),
    ]
    retention.remove_expired_folders(get_site_config().storage_dir, kinds)


@shared_task(name="workloads.measure_volumes", ignore_result=True)
def measure_volumes() -> None:
    """Measure the volumes that the portal reaches, and whose files have changed or may have."""
    follow_sizes(get_site_config().storage_dir)
