"""Web apps that administrators can offer as they are, once they name an image that has the program; pure."""

from dataclasses import dataclass
from typing import Final

from portal.catalog.models import Image, WebApp


@dataclass(frozen=True, slots=True)
class AppPreset:
    """What of a web app is known whatever its image is called."""

    name: str
    title: str
    """The same in all languages: a name of its own."""
    description_en: str
    description_zh: str
    icon: WebApp.Icon
    command: tuple[str, ...]
    keeps_prefix: bool
    memory_mib: int
    cpu_milli: int = 1000
    writes: bool = False
    idle_s: int = 30 * 60
    time_limit_s: int = 8 * 3600


TENSORBOARD: Final = AppPreset(
    name="tensorboard",
    title="TensorBoard",
    description_en="Curves, images and graphs that training has logged for TensorBoard.",
    description_zh="查看训练写入的 TensorBoard 曲线、图像与计算图。",
    icon=WebApp.Icon.CHART,
    command=(
        "tensorboard",
        "--logdir={folder}",
        "--host=127.0.0.1",
        "--port={port}",
        "--reload_interval=15",
    ),
    keeps_prefix=False,
    memory_mib=1024,
)
_MLFLOW_OF_RUNS: Final = (
    '[ ! -d "$1/mlruns" ] || set -- "$1/mlruns" "$2"; '
    'exec env MLFLOW_ALLOW_FILE_STORE=true mlflow server --backend-store-uri="file:$1" '
    "--allowed-hosts='*' --host=127.0.0.1 --port=\"$2\" --workers=1"
)
"""Jobs log to `mlruns` in their outputs unless they say otherwise; else the folder itself is shown."""
MLFLOW: Final = AppPreset(
    name="mlflow",
    title="MLflow",
    description_en="Runs, parameters and metrics that training has logged to a folder with MLflow.",
    description_zh="查看训练用 MLflow 写入文件夹的运行、参数与指标。",
    icon=WebApp.Icon.EXPERIMENT,
    command=("sh", "-c", _MLFLOW_OF_RUNS, "mlflow", "{folder}", "{port}"),
    keeps_prefix=False,
    memory_mib=2048,
)
_AIM_ON_A_COPY: Final = (
    'd=$(mktemp -d) && cp -r "$1/.aim" "$d" && exec aim up --repo="$d" '
    '--host=127.0.0.1 --port="$2" --base-path="$3"'
)
"""Aim refuses a repository that it cannot write to, and folders are read-only for apps."""
AIM: Final = AppPreset(
    name="aim",
    title="Aim",
    description_en="Runs that training has logged with Aim, as they were when the app was opened.",
    description_zh="查看训练用 Aim 记录的运行，内容为打开应用时的状态。",
    icon=WebApp.Icon.EXPERIMENT,
    command=("sh", "-c", _AIM_ON_A_COPY, "aim", "{folder}", "{port}", "{base_path}"),
    keeps_prefix=True,
    memory_mib=2048,
)
CODE_SERVER: Final = AppPreset(
    name="code-server",
    title="VS Code",
    description_en="Edits the files of a folder in the browser, with a terminal, by code-server.",
    description_zh="在浏览器中用 code-server 编辑文件夹中的文件，并带有终端。",
    icon=WebApp.Icon.CODE,
    command=(
        "code-server",
        "--bind-addr=127.0.0.1:{port}",
        "--auth=none",
        "--disable-telemetry",
        "--disable-update-check",
        "--disable-getting-started-override",
        "{folder}",
    ),
    keeps_prefix=False,
    writes=True,
    cpu_milli=2000,
    memory_mib=4096,
)
APP_PRESETS: Final = (TENSORBOARD, MLFLOW, AIM, CODE_SERVER)


def app_of(preset: AppPreset, image: Image) -> WebApp:
    """Return the web app of a preset, unsaved, on an image that has its program."""
    return WebApp(
        name=preset.name,
        title_en=preset.title,
        title_zh=preset.title,
        description_en=preset.description_en,
        description_zh=preset.description_zh,
        icon=preset.icon,
        image=image,
        command=list(preset.command),
        keeps_prefix=preset.keeps_prefix,
        writes=preset.writes,
        cpu_milli=preset.cpu_milli,
        memory_mib=preset.memory_mib,
        idle_s=preset.idle_s,
        time_limit_s=preset.time_limit_s,
    )
