"""Web apps that administrators can offer as they are, once they name an image that has the program; pure."""

from dataclasses import dataclass
from typing import Final

from portal.apps.commands import ServedAt
from portal.apps.models import WebApp
from portal.catalog.models import Image


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
    memory_mib: int
    served_at: ServedAt = ServedAt.PATH
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
    served_at=ServedAt.BASE_PATH,
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
    writes=True,
    cpu_milli=2000,
    memory_mib=4096,
)
_OPTUNA_OF_FILE: Final = (
    'f=$(ls -td "$1"/*.journal "$1"/optuna*.log "$1"/*.db "$1"/*.sqlite3 2>/dev/null | head -n1); '
    '[ "$f" ] || { echo "berth: no storage of Optuna in this folder: *.journal, optuna*.log, *.db, *.sqlite3" >&2; '
    "exit 1; }; "
    'case $f in *.db|*.sqlite3) d=$(mktemp -d); cp "$f"* $d; f=sqlite:///$d/${f##*/};; esac; '
    'exec optuna-dashboard "$f" "$2" "$3"'
)
"""A journal is read where it is and so followed, the newest if there are several; SQLite's file wants to be written."""
OPTUNA_DASHBOARD: Final = AppPreset(
    name="optuna-dashboard",
    title="Optuna",
    description_en="Trials, parameters and their importance of a search with Optuna, while it runs and afterwards.",
    description_zh="查看 Optuna 搜索的试验、参数及其重要性，运行期间和结束之后都可以。",
    icon=WebApp.Icon.EXPERIMENT,
    command=(
        "sh",
        "-c",
        _OPTUNA_OF_FILE,
        "optuna-dashboard",
        "{folder}",
        "--host=127.0.0.1",
        "--port={port}",
    ),
    served_at=ServedAt.HOST,
    memory_mib=1024,
)
_RSTUDIO_FOR_ONE: Final = (
    'd=$(mktemp -d) u=$(id -un) && printf "provider=sqlite\\ndirectory=$d\\n" > $d/db && '
    'echo "session-default-working-dir=$1" > $d/session && shift && '
    "exec env USER=$u PATH=$PATH:/usr/lib/rstudio-server/bin rserver --server-user=$u "
    '--server-data-dir=$d --database-config-file=$d/db --rsession-config-file=$d/session "$@" '
    "--secure-cookie-key-file=$d/key"
)
"""What RStudio's server keeps is this session's own, as in jupyter-rsession-proxy."""
RSERVER: Final = AppPreset(
    name="rserver",
    title="RStudio",
    description_en="Edits and runs R in the browser, by RStudio Server, in a folder.",
    description_zh="在浏览器中用 RStudio Server 编辑并运行文件夹中的 R 代码。",
    icon=WebApp.Icon.CODE,
    command=(
        "sh",
        "-c",
        _RSTUDIO_FOR_ONE,
        "rserver",
        "{folder}",
        "--server-daemonize=0",
        "--auth-none=1",
        "--www-frame-origin=same",
        "--www-verify-user-agent=0",
        "--www-address=127.0.0.1",
        "--www-port={port}",
        "--www-root-path={base_path}",
    ),
    writes=True,
    cpu_milli=2000,
    memory_mib=4096,
)
APP_PRESETS: Final = (TENSORBOARD, MLFLOW, AIM, OPTUNA_DASHBOARD, CODE_SERVER, RSERVER)


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
        served_at=preset.served_at,
        writes=preset.writes,
        cpu_milli=preset.cpu_milli,
        memory_mib=preset.memory_mib,
        idle_s=preset.idle_s,
        time_limit_s=preset.time_limit_s,
    )
