"""The data of the demo: five groups of ten developers, two pools, two images, a web app."""

from dataclasses import dataclass
from typing import Final

from portal.apps.models import WebApp
from portal.apps.presets import OPTUNA_DASHBOARD, TENSORBOARD, app_of
from portal.catalog.models import Image
from portal.inventory.models import Pool

ROOT: Final = ("berth-demo", "Berth Demo Lab", "泊位演示实验室")
ADMIN: Final = "admin"
TIME_ZONE: Final = "Asia/Shanghai"
CARBON_G_PER_KWH: Final = 570
"""Of a grid with much coal, as a mean of the year."""
APP_IMAGE: Final = "jupyter-python"
"""The image of the web apps."""
JOB_IMAGE: Final = "python"
SIMULATED_IMAGE: Final = "simulated-notebook"
"""What simulated people open as a notebook."""
SHARES: Final = "shares"
"""Where notebooks get a share of a card; by its name behind the pool that serves notebooks by default."""
SERVICES: Final = "services"
"""Where replicas of services run."""
MODEL_IMAGE: Final = "simulated-model"
LLAMA_IMAGE: Final = "llama-cpp"
"""What the seeded service runs."""
SLICES_PER_CARD: Final = 8
"""Of the cards of the development pool."""


@dataclass(frozen=True, slots=True)
class Team:
    """A group of the demo; its first member is its administrator."""

    name: str
    title_en: str
    title_zh: str
    people: tuple[str, ...]


def _team(name: str, title_en: str, title_zh: str, people: str) -> Team:
    return Team(name, title_en, title_zh, tuple(people.split()))


TEAMS: Final = (
    _team(
        "vision",
        "Computer Vision",
        "计算机视觉",
        "li.wei wang.fang zhang.min liu.yang chen.jing yang.tao zhao.lei huang.ping zhou.jie wu.gang",
    ),
    _team(
        "language",
        "Language Models",
        "语言模型",
        "xu.na sun.hao hu.xin zhu.qiang gao.yan lin.feng he.juan guo.bin ma.chao luo.ying",
    ),
    _team(
        "speech",
        "Speech",
        "语音",
        "liang.bo song.yu zheng.kai xie.lan han.dong tang.li feng.xue yu.peng dong.mei xiao.jun",
    ),
    _team(
        "recsys",
        "Recommendation",
        "推荐",
        "cheng.hui cao.rui yuan.shan deng.yi peng.fei zeng.lin pan.yue tian.hua jiang.ning cai.hong",
    ),
    _team(
        "robotics",
        "Robotics",
        "机器人",
        "wei.long lu.ting jia.qi ding.yong ren.jie shen.wen yao.xiang lu.jian jin.xi shi.yun",
    ),
)

DEVELOPMENT: Final = "development"
TRAINING: Final = "training"
"""The names of the two pools."""
GPU_MILLI: Final = 6_000
BORROWING_GPUS: Final = 24
"""Cards that a group of a demo with a past may hold, with those that others do not use."""
CPU_MILLI: Final = 40_000

DAY_S: Final = 24 * 3600
DAY_MINUTES: Final = 24 * 60


def _nights() -> list[dict[str, int]]:
    """Return 20:00 to 8:00 after each working day, and the whole weekend."""
    evenings = [day * DAY_MINUTES + 20 * 60 for day in range(5)]
    mornings = [(day + 1) * DAY_MINUTES + 8 * 60 for day in range(4)] + [8 * 60]
    return [{"start": a, "end": b} for a, b in zip(evenings, mornings, strict=True)]


LENDING: Final = {
    "to_pools": [TRAINING],
    "windows": _nights(),
    "by_day": True,
    "keep_gpus": 1,
    "bound_s": 120,
}
"""What development lends to training: all unused cards at night and at weekends, all but one by
day. The same rules as in `scheduler/whatif/scenarios/aistation.toml`."""

QUEUE: Final = {"order": "shortest", "patience_s": 24 * 3600, "backfill_depth": 8}
"""`scheduler.core.model.policy.TRAINING_POLICY`, as a pool stores it."""


HOURLY_MICROS: Final = {"Simulated 32GB": 2_500_000}
"""What an hour of a GPU costs, in millionths of the currency, by the model of the demo's cards."""
SHARES_HOURLY_MICROS: Final = {"NVIDIA L40S 48GB": 6_000_000}
"""The same for the cards of the pool with shares, where there is one."""
BUDGET_MICROS: Final = 20_000_000_000
"""What the last team may spend in a month, in millionths."""

EXAMPLE_DATASET: Final = {
    "name": "example",
    "description": "Lengths and weights of 150 simulated plants of three kinds, as CSV",
    "is_for_everybody": True,
}
"""The data set of which `make run` writes the files on every node."""
EXAMPLE_PATH: Final = "example"
"""Where its first version is on them."""


def build_pools() -> list[Pool]:
    """Return the two pools, unsaved: shared cards for notebooks, whole cards for training."""
    return [
        Pool(
            name=DEVELOPMENT,
            title_en="Development",
            title_zh="开发池",
            purpose=Pool.Purpose.DEVELOPMENT,
            mode=Pool.Mode.SHARED,
            slices_per_card=SLICES_PER_CARD,
            slice_mib=4096,
            cpu_overcommit_pct=400,
            default_time_limit_s=8 * 3600,
            time_limit_s_max=7 * DAY_S,
            policy={"lending": LENDING},
        ),
        Pool(
            name=TRAINING,
            title_en="Training",
            title_zh="训练池",
            purpose=Pool.Purpose.TRAINING,
            mode=Pool.Mode.EXCLUSIVE,
            default_time_limit_s=DAY_S,
            time_limit_s_max=14 * DAY_S,
            policy=QUEUE,
        ),
    ]


def build_shares_pool() -> Pool:
    """Return the pool whose cards are shared by fractions of any size, unsaved."""
    return Pool(
        name=SHARES,
        title_en="Shares of L40S",
        title_zh="L40S 份额池",
        purpose=Pool.Purpose.DEVELOPMENT,
        mode=Pool.Mode.SHARED,
        slices_per_card=1,
        slice_mib=0,
        cpu_overcommit_pct=400,
        default_time_limit_s=8 * 3600,
        time_limit_s_max=7 * DAY_S,
    )


def build_services_pool() -> Pool:
    """Return the pool of services, unsaved: whole cards, and replicas that have no end."""
    return Pool(
        name=SERVICES,
        title_en="Services",
        title_zh="服务池",
        purpose=Pool.Purpose.INFERENCE,
        mode=Pool.Mode.EXCLUSIVE,
        default_time_limit_s=DAY_S,
        time_limit_s_max=14 * DAY_S,
    )


def build_model_image() -> Image:
    """Return the image of the seeded service, unsaved."""
    return Image(
        name=MODEL_IMAGE,
        title_en="Simulated model (demo)",
        title_zh="模拟模型（演示）",
        description_en="A server at the paths of OpenAI without a model: it repeats what it is asked.",
        description_zh="接口与 OpenAI 兼容但没有模型的服务器：只会复述收到的内容。",
        reference="berth/simulated-model:1",
        for_training=True,
    )


def build_llama_image() -> Image:
    """Return the image of the service with a real model, unsaved."""
    return Image(
        name=LLAMA_IMAGE,
        title_en="llama.cpp (demo)",
        title_zh="llama.cpp（演示）",
        description_en="The server of llama.cpp, built on this machine, for models in GGUF.",
        description_zh="在本机构建的 llama.cpp 服务，用于 GGUF 格式的模型。",
        reference="berth/llama-cpp:1",
        for_training=True,
    )


def build_simulated_image() -> Image:
    """Return the image of the notebooks that simulated people open, unsaved."""
    return Image(
        name=SIMULATED_IMAGE,
        title_en="Simulated notebook (demo)",
        title_zh="模拟 Notebook（演示）",
        description_en="What the simulated people of the demo open: a page that says so, not JupyterLab.",
        description_zh="演示中的模拟人员所打开的 Notebook：仅有一个说明页面，并非 JupyterLab。",
        reference="berth/simulated-notebook:1",
        for_environments=True,
    )


def build_images() -> list[Image]:
    """Return the two images that the platform ships with, unsaved."""
    return [
        Image(
            name=APP_IMAGE,
            title_en="JupyterLab with Python",
            title_zh="JupyterLab（Python）",
            description_en="Notebooks in the browser; the same Python runs as a training job.",
            description_zh="浏览器中的 Notebook；同一 Python 环境也可用于训练任务。",
            reference="berth/jupyter-python:1",
            for_environments=True,
            for_training=True,
        ),
        Image(
            name=JOB_IMAGE,
            title_en="Python",
            title_zh="Python",
            description_en="Python and its standard library, for scripts and pipelines.",
            description_zh="Python 及其标准库，适合脚本与流水线。",
            reference="berth/python:1",
            for_training=True,
        ),
    ]


def build_apps(image: Image) -> list[WebApp]:
    """Return the web apps that the platform ships with, unsaved; the image has their programs."""
    return [app_of(preset, image) for preset in (TENSORBOARD, OPTUNA_DASHBOARD)]
