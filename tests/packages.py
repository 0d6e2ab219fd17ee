"""Python packages of the work that tests run: beside every lock, each set in a folder of its own."""

import fcntl
import hashlib
import shutil
import subprocess
import sys
from pathlib import Path

from deploy.onebox.options import REPOSITORY
from tests.docker_engine import cache_dir


def packages_of(name: str) -> Path:
    """Return a folder with what `requirements/<name>.txt` names, fetched first unless it is there."""
    requirements = REPOSITORY / "requirements" / f"{name}.txt"
    digest = hashlib.sha256(requirements.read_bytes()).hexdigest()
    folder = cache_dir() / f"{name}-{digest[:16]}"
    folder.parent.mkdir(parents=True, exist_ok=True)
    with (folder.parent / f"{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not folder.exists():
            fetch_packages(folder, requirements)
    return folder


def fetch_packages(folder: Path, requirements: Path) -> None:
    """Let pip fill a folder, which is there as a whole or not at all."""
    scratch = folder.with_suffix(".new")
    shutil.rmtree(scratch, ignore_errors=True)
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    options = ["--no-compile", "--only-binary=:all:", "--target", str(scratch)]
    subprocess.run([*pip, *options, "-r", str(requirements)], check=True)
    scratch.rename(folder)
