"""What the demo shows besides people and their past: templates, views, alarms that are over, requests. Data."""

from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Final

from portal.alarms.kinds import AlarmKind
from portal.demo import organisation

_TRAIN: Final = 'python3 "$BERTH_DATA_DIR/example/train.py"'


@dataclass(frozen=True, slots=True)
class ExampleTemplate:
    """A template of the platform."""

    kind: str
    name: str
    description: str
    settings: dict[str, Any]


def _job(**settings: Any) -> dict[str, Any]:
    return {
        "pool": organisation.TRAINING,
        "image": organisation.JOB_IMAGE,
        "datasets": ["example"],
        "cpu_milli": 4_000,
        "memory_mib": 16_384,
        **settings,
    }


TEMPLATES: Final = (
    ExampleTemplate(
        "environment",
        "Slice notebook",
        "One slice of a GPU to write and try code / 一个切片，用于编写和调试代码",
        {
            "pool": organisation.DEVELOPMENT,
            "image": organisation.APP_IMAGE,
            "datasets": ["example"],
            "slices": 1,
            "cpu_milli": 2_000,
            "memory_mib": 8_192,
        },
    ),
    ExampleTemplate(
        "training",
        "One-GPU fine-tune",
        "A day on one GPU, may be preempted / 单卡微调，最长一天，可被抢占",
        _job(gpus=1, script=_TRAIN, time_limit_s=24 * 3600, preemptible=True),
    ),
    ExampleTemplate(
        "training",
        "torchrun, 8 x 2",
        "Two nodes of eight GPUs, one process for each GPU / 两节点各八卡，每卡一个进程",
        _job(
            gpus=8,
            replicas=2,
            launcher="torchrun",
            script=_TRAIN,
            cpu_milli=16_000,
            memory_mib=131_072,
            retries_max=2,
        ),
    ),
    ExampleTemplate(
        "training",
        "Sweep of learning rates",
        "Add an array such as 0-5: each task takes another rate / 填写数组（如 0-5），每个子任务取一个学习率",
        _job(gpus=1, script=_TRAIN, cpu_milli=1_000, memory_mib=1_024, preemptible=True),
    ),
    ExampleTemplate(
        "training",
        "Ray on two nodes",
        "A Ray cluster of two ranks with one GPU each; needs an image with Ray / 两个节点的 Ray 集群，镜像须带 Ray",
        _job(
            gpus=1,
            replicas=2,
            launcher="ray",
            script="python3 -c 'import ray; ray.init(); print(ray.cluster_resources())'",
        ),
    ),
    ExampleTemplate(
        "training",
        "Dask on two nodes",
        "A Dask cluster of two ranks with one GPU each; needs an image with Dask / 两个节点的 Dask 集群，镜像须带 Dask",
        _job(
            gpus=1,
            replicas=2,
            launcher="dask",
            script="python3 -c 'from distributed import Client; print(Client().scheduler_info())'",
        ),
    ),
)


@dataclass(frozen=True, slots=True)
class ExampleView:
    """A saved view of somebody."""

    owner: str
    list_name: str
    name: str
    search: dict[str, Any]
    group: str = ""
    """Whose members use it, too."""


HEAD: Final = organisation.TEAMS[0].people[0]
VIEWS: Final = (
    ExampleView(organisation.ADMIN, "jobs", "Failed", {"state": "failed"}),
    ExampleView(organisation.ADMIN, "jobs", "Waiting", {"state": "queued"}),
    ExampleView(HEAD, "jobs", "Our failures", {"state": "failed"}, organisation.TEAMS[0].name),
    ExampleView(HEAD, "notebooks", "Running notebooks", {"state": "running"}),
)


@dataclass(frozen=True, slots=True)
class ExampleAlarm:
    """An alarm of the past. Its subject is the named node, a card of it, or some work of a team."""

    kind: AlarmKind
    ago: timedelta
    lasted: timedelta
    value: int
    """In the unit of its kind."""
    node: str = ""
    card: int | None = None
    comment: str = ""
    """By the administrator, who has acknowledged it."""


ALARMS: Final = (
    ExampleAlarm(
        AlarmKind.GPU_HOT,
        ago=timedelta(days=12, hours=3),
        lasted=timedelta(minutes=34),
        value=91,
        node="gpu-train-1",
        card=5,
        comment="Fan replaced / 已更换风扇",
    ),
    ExampleAlarm(
        AlarmKind.NODE_SILENT,
        ago=timedelta(days=9, hours=7),
        lasted=timedelta(minutes=11),
        value=3,
        node="gpu-dev-2",
        comment="Switch restarted / 交换机重启",
    ),
    ExampleAlarm(
        AlarmKind.GPU_FAULT,
        ago=timedelta(days=5, hours=1),
        lasted=timedelta(hours=2),
        value=0,
        node="gpu-train-2",
        card=2,
        comment="Xid 48, card reset / Xid 48，已重置",
    ),
    ExampleAlarm(
        AlarmKind.DISK_NEAR_FULL,
        ago=timedelta(days=2, hours=5),
        lasted=timedelta(hours=1),
        value=92,
        node="gpu-train-1",
    ),
)


@dataclass(frozen=True, slots=True)
class ExampleRequest:
    """A member's request for a longer time limit than the own one allows."""

    member: str
    has_s: int
    wants_s: int
    comment: str
    is_approved: bool


DAY_S: Final = 24 * 3600
REQUESTS: Final = (
    ExampleRequest(
        organisation.TEAMS[0].people[2],
        DAY_S,
        4 * DAY_S,
        "The last stage of pre-training needs three days / 预训练最后阶段需要三天",
        is_approved=False,
    ),
    ExampleRequest(
        organisation.TEAMS[0].people[9],
        DAY_S,
        2 * DAY_S,
        "Ablations over the weekend / 周末的消融实验",
        is_approved=True,
    ),
)
QUOTA_REQUEST: Final = (
    organisation.TEAMS[1].people[0],
    8_000,
    "A second 8-GPU run beside the first / 需要同时运行第二个八卡任务",
)
"""A head who asks for more GPUs than the ceiling of the group: by how many thousandths more."""

BUDGET_GROUP: Final = organisation.TEAMS[3].name
BUDGET_USED_PCT: Final = 85
"""How much of its budget of GPU-hours a team has used this month."""

RESERVATION: Final = (organisation.TEAMS[1].name, "Course: fine-tuning / 课程：微调", 4)
"""Next Tuesday's reservation: group, name, GPUs."""
RESERVED_HOURS: Final = (9, 17)

STUDY_TITLE: Final = "One more training node / 增加一台训练节点"
STUDY_DAYS: Final = 14
STUDY_NODE: Final = "gpu-train-1"

MAINTENANCE_NODE: Final = "gpu-train-3"
"""Drained and switched off, beside `STUDY_NODE` and with the same cards."""

SERVICE_OWNER: Final = organisation.TEAMS[0].people[1]
SERVICE: Final[dict[str, Any]] = {
    "name": "chat",
    "group": organisation.TEAMS[0].name,
    "pool": organisation.SERVICES,
    "image": organisation.MODEL_IMAGE,
    "preset": "llama-cpp",
    "model": "simulated",
    "command": ["simulated-model", "--port={port}"],
    "env": {"SIMULATED_GPU": "use=20..60 period=90 duty=40 memory=9000"},
    "quality": "latency",
    "target_ms": 2000,
    "is_first_token": True,
    "gpus": 1,
    "cpu_milli": 1_000,
    "memory_mib": 1_024,
    "replicas_min": 1,
    "replicas_max": 3,
}
"""The service that a fresh demo has to try, where it has a pool for services."""
MODEL_SERVICE: Final[dict[str, Any]] = {
    "name": "smollm2",
    "group": organisation.TEAMS[0].name,
    "pool": organisation.SERVICES,
    "image": organisation.LLAMA_IMAGE,
    "preset": "llama-cpp",
    "quality": "latency",
    "target_ms": 5000,
    "is_first_token": True,
    "gpus": 1,
    "cpu_milli": 2_000,
    "memory_mib": 2_048,
    "replicas_min": 0,
    "replicas_max": 2,
}
"""The service with a real model, where the demo was started with a server for it; its model is named then."""
