"""The gate of a container in the engine: its program, its FIFO, and the image's own entry point."""

from pathlib import Path
from typing import Any, Final

from docker.types import Mount

from nodeagent.cgroups import cgroup_of
from nodeagent.core.state import Cause
from nodeagent.disk.container_dir import ContainerDir
from nodeagent.docker.gate_program import BECOMES, PROGRAM, WAIT, gate_program
from nodeagent.ports import Confines, StartError

EXECUTABLE: Final = 0o555


def gated(options: dict[str, Any], image: dict[str, Any], place: ContainerDir) -> dict[str, Any]:
    """Return the options of a create call with the gate before the work; raises `StartError`.

    `image` is the engine's description: an entry point of ours takes the place of its own and of
    its default command, so both must be named.
    """
    config = image.get("Config") or {}
    own = tuple(options.get("entrypoint") or config.get("Entrypoint") or ())
    command = tuple(options.get("command") or config.get("Cmd") or ())
    mounts = [
        Mount(PROGRAM, str(_program_file(place.path)), type="bind", read_only=True),
        Mount(WAIT, str(place.gate_path), type="bind", read_only=True),
    ]
    return {
        **options,
        "entrypoint": list(BECOMES),
        "command": [*own, *command],
        "mounts": [*options.get("mounts", ()), *mounts],
    }


def confines_of(found: dict[str, Any] | None) -> Confines | None:
    """Return where a container's processes are, from its description; None when it has none."""
    pid = int(((found or {}).get("State") or {}).get("Pid") or 0)
    return Confines(pid, cgroup_of(pid)) if pid else None


def _program_file(folder: Path) -> Path:
    program = gate_program()
    if program is None:
        raise StartError(Cause.ISOLATION_UNAVAILABLE, "no gate for this kind of processor")
    path = folder / "gate-program"
    path.write_bytes(program)
    path.chmod(EXECUTABLE)
    return path
