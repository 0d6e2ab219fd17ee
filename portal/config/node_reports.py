"""Who takes part when a node reports: one function for each subject, in the order of their effects."""

from typing import Final

from portal.agentlink import desired
from portal.agentlink.heartbeat import HeartbeatReceiver
from portal.images import image_builds, image_saves, node_images
from portal.workloads.idle import activity
from portal.workloads.operations import disk_pressure, recovery
from portal.workloads.state import exchange

SUBJECTS: Final = exchange.Subjects(
    before=(image_saves.record_reports,),
    inside=(
        recovery.list_unknown_work,
        exchange.settle_report,
        recovery.requeue_unstarted,
        activity.record_use_reports,
        disk_pressure.record_disk_pressure,
        desired.name_work,
        node_images.pull_ahead,
    ),
    after=(image_builds.order_saves,),
)
receive_heartbeat: Final = HeartbeatReceiver(SUBJECTS).receive
