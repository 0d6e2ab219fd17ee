"""Builds what handles idle notebooks from the configuration."""

import structlog

from nodeagent.app.node_sampler import NodeSampler
from nodeagent.config import AgentConfig
from nodeagent.disk.layout import StateLayout
from nodeagent.host.clock import SystemClock
from nodeagent.idle.activity_monitor import ActivityMonitor
from nodeagent.idle.checkpoint import CudaCheckpointer
from nodeagent.idle.cuda_checkpoint import CudaError, LibCuda
from nodeagent.idle.gpu_release import GpuReleaser
from nodeagent.idle.notebooks import IdleNotebooks
from nodeagent.ports import Sharing

log = structlog.get_logger()


def build_notebooks(
    config: AgentConfig, layout: StateLayout, samples: NodeSampler, sharing: Sharing
) -> IdleNotebooks:
    """Return what handles idle notebooks; with CUDA checkpoints where the driver has them."""
    clock = SystemClock()
    try:
        checkpointer = CudaCheckpointer(LibCuda(config.idle.cuda_library))
    except CudaError as error:
        log.info("checkpoint.unsupported", error=str(error))
        checkpointer = None
    parking = GpuReleaser(
        layout.containers, samples.find_gpu_presence, sharing, checkpointer, clock
    )
    return IdleNotebooks(
        ActivityMonitor(layout.containers, clock, config.idle.check_interval_s),
        parking,
        samples.take_stray_pids,
    )
