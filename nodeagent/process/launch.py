"""From an order to what the shim shall run: paths, command line, environment."""

from dataclasses import dataclass
from pathlib import Path
from typing import Final

from nodeagent.core.state import Cause
from nodeagent.disk.container_dir import LOG_MAX, ContainerDir, Endpoint, Launch, Work
from nodeagent.disk.notices import HOSTFILE_NAME, Talk, talk_environment
from nodeagent.launch.datasets import link_datasets
from nodeagent.launch.environment import Places, container_environment
from nodeagent.launch.jupyter import CONFIG_PATH, PROGRAM, lab_argv, lab_environment
from nodeagent.launch.ranks import meeting_on_nodes, rank_argv, rank_environment, told_files
from nodeagent.launch.work import script_argv, work_dir
from nodeagent.ports import Order, StartError
from nodeagent.process.control import container_marker

SYSTEM_PATH: Final = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
BATCH_NICE: Final = 5
"""Training yields to people who wait for a notebook."""


@dataclass(frozen=True, slots=True)
class ProcessSettings:
    """What the process runtime needs to know about its node."""

    node: str
    storage_dir: Path
    bind_address: str
    images: dict[str, Path]
    """Image reference → prefix of a Python environment."""
    default_prefix: Path | None
    """Prefix for every other image; none means that they are unavailable."""
    log_bytes_max: int = LOG_MAX
    datasets_dir: Path | None = None


def image_prefix(settings: ProcessSettings, image: str) -> Path:
    """Return the Python environment that stands for an image; raises `StartError`."""
    prefix = settings.images.get(image, settings.default_prefix)
    if prefix is None or not (prefix / "bin" / "python").exists():
        raise StartError(
            Cause.IMAGE_UNAVAILABLE, f"image_not_found: no local environment for {image}"
        )
    return prefix


def prepare(
    settings: ProcessSettings, order: Order, place: ContainerDir, endpoint: Endpoint | None
) -> Launch:
    """Make the folders that the work needs, and return how to run it; raises `StartError`."""
    prefix = image_prefix(settings, order.spec.image)
    folder = work_dir(settings.storage_dir, order.spec)
    home = folder if endpoint else place.path / "home"
    for path in (folder, home):
        path.mkdir(parents=True, exist_ok=True)
    place.write_work(Work(folder, order.spec.disk_mib))
    data = link_datasets(settings.datasets_dir, order.spec.datasets, place.path / "data")
    places = Places(str(home), str(folder), f"{prefix / 'bin'}:{SYSTEM_PATH}", str(data))
    marker, _, value = container_marker(place).partition("=")
    env = {
        **container_environment(order, places, settings.node),
        marker: value,
        **_rank_environment(order, place),
    }
    if endpoint is not None:
        env.update(lab_environment(endpoint), JUPYTER_CONFIG_PATH=CONFIG_PATH)
    return Launch(
        argv=_argv(settings, order, place, endpoint),
        env=env,
        cwd=str(folder),
        memory_mib=order.spec.memory_mib,
        nice=0 if endpoint else BATCH_NICE,
        log_bytes=settings.log_bytes_max,
    )


def _rank_environment(order: Order, place: ContainerDir) -> dict[str, str]:
    """Make the files by which platform and work talk; ranks meet at the addresses of their nodes."""
    talk = Talk(place)
    talk.create()
    meeting = meeting_on_nodes(order.spec, hostfile=str(talk.told / HOSTFILE_NAME))
    for name, text in told_files(order, meeting).items():
        talk.write_told(name, text)
    return {**rank_environment(order, meeting), **talk_environment(talk.told, talk.saved)}


def _argv(
    settings: ProcessSettings, order: Order, place: ContainerDir, endpoint: Endpoint | None
) -> tuple[str, ...]:
    spec = order.spec
    if endpoint is not None:
        program = image_prefix(settings, spec.image) / "bin" / PROGRAM
        if not program.exists():
            raise StartError(
                Cause.IMAGE_UNAVAILABLE, f"image_not_found: {spec.image} has no {PROGRAM}"
            )
        root_dir = str(work_dir(settings.storage_dir, order.spec))
        return lab_argv(
            str(program), listen_on=settings.bind_address, endpoint=endpoint, root_dir=root_dir
        )
    told = str(Talk(place).told)
    if spec.script:
        place.script_path.write_text(spec.script, encoding="utf-8")
        place.script_path.chmod(0o700)
        return rank_argv(order, script_argv(str(place.script_path), spec.script), told)
    if not spec.command:
        raise StartError(Cause.START_FAILED, "no_command")
    return rank_argv(order, spec.command, told)
