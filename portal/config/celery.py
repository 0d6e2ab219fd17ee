"""The Celery application: two queues, and the table of what runs when.

Messages only start tasks: each reads what is due from PostgreSQL, so a lost, doubled or late message
changes nothing. No task waits for a node, an image or a user.
"""

import os
from typing import Any, Final

from celery import Celery
from django.conf import settings

from portal.common.notifications import SCHEDULER, SCHEDULER_TASK
from portal.config.beat import due_every

MAINTENANCE: Final = "maintenance"
SERVICES_S: Final = 2
"""Between two checks of the replicas of services when nothing happens."""
FORECAST_S: Final = 300
"""How often is looked which services are to be forecast, once an hour each."""
CLUSTERS_S: Final = 5
"""Between two rounds of the Slurm and Kubernetes clusters that run the work of pools."""
SCHEDULER_TICK_S: Final = 5
"""Between two passes of the scheduler when nothing happens."""
FENCE_S: Final = 10
"""Between two polls for silent nodes whose fence command is due."""
NOTICES_S: Final = 10
"""Between two runs that notify owners of what happened to their work."""
LIVE_FACTS_S: Final = 30
"""Between two polls for idle GPUs and used budgets; the overview keeps what was found three times as long."""
RECENT_USE_S: Final = 240
"""Between two sums of the last 24 hours, which the overview keeps for five minutes."""
ACTIVITY_S: Final = 30
"""Between two rounds of the demo's activity."""
MINUTE_S: Final = 60
SIZES_S: Final = 15
"""How often is looked which volumes are to be measured, in seconds."""
HOUR_S: Final = 3600
TASK_TIME_LIMIT_S: Final = 120
"""How long one task may take."""
VISIBILITY_TIMEOUT_S: Final = 1800
"""Far above the time limit: a task must never be delivered again while it still runs."""

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "portal.config.settings.base")


def _options() -> dict[str, Any]:
    """Return the configuration; called when it is first needed, after Django's own."""
    return {
        "broker_url": settings.CELERY_BROKER_URL,
        "broker_connection_retry_on_startup": True,
        "broker_transport_options": {
            "visibility_timeout": VISIBILITY_TIMEOUT_S,
            # Without these a killed worker's task comes back after 100 s instead of seconds.
            "unacked_restore_interval": 15,
            "unacked_restore_throttle": 1,
            # The default waits indefinitely on a lost connection.
            "socket_timeout": 30,
            "socket_connect_timeout": 5,
            "socket_keepalive": True,
            "health_check_interval": 30,
        },
        "task_ignore_result": True,
        "task_acks_late": True,
        "task_reject_on_worker_lost": True,
        "task_default_queue": MAINTENANCE,
        "task_routes": {SCHEDULER_TASK: {"queue": SCHEDULER}},
        "task_time_limit": TASK_TIME_LIMIT_S,
        "task_soft_time_limit": TASK_TIME_LIMIT_S - 20,
        "worker_prefetch_multiplier": 1,
        "worker_hijack_root_logger": False,
        # In memory: no entry needs the time of its last run.
        "beat_scheduler": "portal.config.beat:BoundedScheduler",
        "beat_schedule": _timetable(),
    }


def _timetable() -> dict[str, Any]:
    return {
        "schedule": _every(SCHEDULER_TICK_S, SCHEDULER_TASK, SCHEDULER),
        "sweep": _every(settings.SWEEP_S, "workloads.sweep"),
        "fence silent nodes": _every(FENCE_S, "workloads.fence_silent_nodes"),
        "follow leavers": _every(MINUTE_S, "workloads.follow_leavers"),
        "notify owners": _every(NOTICES_S, "workloads.notify_owners"),
        "judge expected starts": _every(MINUTE_S, "workloads.judge_expected_starts"),
        "recount quotas": _every(HOUR_S, "quotas.recount"),
        "delete expired access": _every(HOUR_S, "endpoints.forget_old_access"),
        "delete expired rows": _every(HOUR_S, "common.delete_expired"),
        "seal audit log": _every(MINUTE_S, "audit.seal"),
        "tidy storage": _every(HOUR_S, "workloads.tidy_storage"),
        "tidy files of volumes": _every(HOUR_S, "volumes.tidy_files"),
        "measure volumes": _every(SIZES_S, "workloads.measure_volumes"),
        "empty the trash of volumes": _every(HOUR_S, "volumes.empty_trash"),
        "measure data sets": _every(MINUTE_S, "datasets.measure"),
        "publish data sets": _every(MINUTE_S, "datasets.publish"),
        "finish the removal of what was simulated": _every(MINUTE_S, "demo.finish_removal"),
        "tidy publications": _every(HOUR_S, "datasets.tidy_publications"),
        "release unused reservations": _every(MINUTE_S, "reserving.release_unused"),
        "replace failed devices": _every(MINUTE_S, "reserving.replace_failed_devices"),
        "run work on Slurm": _every(CLUSTERS_S, "composition.run_slurm"),
        "run work on Kubernetes": _every(CLUSTERS_S, "composition.run_kubernetes"),
        "reconcile services": _every(SERVICES_S, "serving.reconcile"),
        "notebook schedules": _every(MINUTE_S, "notebooks.run_schedules"),
        "tend saved images": _every(MINUTE_S, "images.tend_saved_images"),
        "scan images": _every(MINUTE_S, "images.scan_images"),
        "expire saved images": _every(HOUR_S, "images.expire_images"),
        "apply directories": _every(MINUTE_S, "directory.apply_due"),
        "read directories": _every(MINUTE_S, "directory.sync_due"),
        "expire requests": _every(MINUTE_S, "approvals.expire_requests"),
        "send mails": _every(MINUTE_S, "notices.send_mails"),
        "send notices to channels": _every(MINUTE_S, "notices.deliver"),
        "run studies": _every(MINUTE_S, "studies.run_next"),
        "delete old load of services": _every(HOUR_S, "serving_usage.prune_seconds"),
        "add up the load of services": _every(FORECAST_S, "serving_usage.roll_up_hours"),
        "forecast services": _every(FORECAST_S, "serving.forecast"),
        "roll up telemetry": _every(MINUTE_S, "telemetry.roll_up"),
        "update usage": _every(MINUTE_S, "metering.update_usage"),
        "refresh live facts": _every(LIVE_FACTS_S, "overview.refresh_live_facts"),
        "refresh recent use": _every(RECENT_USE_S, "overview.refresh_recent_use"),
        "evaluate alarms": _every(MINUTE_S, "alarms.evaluate"),
        "send messages of alarms": _every(MINUTE_S, "alarms.deliver"),
        "delete old alarms": _every(HOUR_S, "alarms.delete_old"),
        "delete old notices": _every(HOUR_S, "notices.delete_old"),
        "delete old metrics of jobs": _every(HOUR_S, "training_metrics.delete_expired"),
        "maintain telemetry partitions": _every(HOUR_S, "telemetry.maintain_partitions"),
        **_demo_timetable(),
    }


def _demo_timetable() -> dict[str, Any]:
    if not settings.SITE.is_demo:
        return {}
    return {
        "simulate activity": _every(ACTIVITY_S, "demo.simulate_activity"),
        "delete old activity": _every(HOUR_S, "demo.tidy_activity"),
    }


def _every(seconds: float, task: str, queue: str = MAINTENANCE) -> dict[str, Any]:
    return {"task": task, "schedule": due_every(seconds), "options": {"queue": queue}}


app = Celery("berth")
app.set_default()  # For every thread, not only the one that imports this.
app.add_defaults(_options)
app.autodiscover_tasks()
