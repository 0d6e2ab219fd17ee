"""Every launcher says so when the image lacks its program; the scripts are run by a real shell."""

import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from nodeagent.core.state import ContainerKey, Finished
from nodeagent.disk.container_dir import ContainerDir
from nodeagent.disk.launch_faults import name_launch_fault
from nodeagent.disk.notices import NoticeFiles
from nodeagent.launch.ranks import RankRendezvous, rank_argv, rank_environment, rank_files
from tests.fakes.work import an_order
from wire.words import Device, ExitCause

HOSTS = ("10.0.0.7", "10.0.0.8")
CARDS = (Device("GPU-1", 1024), Device("GPU-2", 1024))
TRAIN = ("python", "train.py", "--name", "it's a $run")
ENDED = Finished(ContainerKey("job.0", 1), ExitCause.EXITED, 0)
SHOWS = "import sys; print(*sys.argv[1:], sep='\\n')\n"
LAUNCHERS = [
    ({"launcher": "torchrun"}, "torch"),
    ({"launcher": "torchrun", "framework": "accelerate"}, "accelerate"),
    ({"launcher": "torchrun", "framework": "deepspeed"}, "deepspeed"),
    ({"launcher": "mpi"}, "mpirun"),
    ({"launcher": "ray"}, "ray"),
    ({"launcher": "dask"}, "distributed"),
]


class Image:
    """What a rank finds: a shell, and what a test adds."""

    def __init__(self, root: Path) -> None:
        self.directory = ContainerDir(root, ENDED.key)
        self.directory.path.mkdir(parents=True)
        self.notices = NoticeFiles(self.directory)
        self.notices.create()
        self.bin, self.packages, self.cwd = root / "bin", root / "packages", root / "work"
        for folder in (self.bin, self.packages, self.cwd):
            folder.mkdir()
        (self.bin / "sh").symlink_to("/bin/sh")

    def add_python(self) -> None:
        """Add a Python without packages."""
        python = self.bin / "python3"
        python.write_text(f'#!/bin/sh\nexec {sys.executable} -S "$@"\n')
        python.chmod(0o755)

    def run(self, *, rank: int = 1, **spec: Any) -> "subprocess.CompletedProcess[str]":
        """Run one of two ranks as the agent does."""
        order = an_order(TRAIN, rank=rank, ranks=2, devices=CARDS, hosts=HOSTS, env={}, **spec)
        place = RankRendezvous(HOSTS)
        for name, text in rank_files(order, place).items():
            self.notices.write_file(name, text)
        env = {
            "PATH": str(self.bin),
            "PYTHONPATH": str(self.packages),
            "BERTH_CHECKPOINT_FILE": str(self.notices.checkpoint_dir / "checkpoint"),
            **rank_environment(order, place),
        }
        argv = rank_argv(order, TRAIN, str(self.notices.notice_dir))
        return subprocess.run(
            argv, env=env, cwd=self.cwd, capture_output=True, text=True, check=False, timeout=60
        )

    def end(self, code: int) -> Finished:
        """Return how such an end is reported."""
        return name_launch_fault(replace(ENDED, exit_code=code), self.directory)


@pytest.fixture
def image(tmp_path: Path) -> Image:
    return Image(tmp_path)


@pytest.mark.parametrize("rank", [0, 1])
@pytest.mark.parametrize(("spec", "program"), LAUNCHERS)
def test_a_launcher_whose_program_is_missing_names_it(
    image: Image, spec: dict[str, Any], program: str, rank: int
) -> None:
    image.add_python()

    done = image.run(rank=rank, **spec)

    assert f"berth: the image does not have {program}\n" == done.stderr
    end = image.end(done.returncode)
    assert (end.cause, end.exit_code) == (ExitCause.START_FAILED, None)
    assert end.detail == f"program_missing: {program}"


@pytest.mark.parametrize("spec", [spec for spec, program in LAUNCHERS if program != "mpirun"])
def test_so_does_one_that_finds_no_python(image: Image, spec: dict[str, Any]) -> None:
    done = image.run(**spec)

    assert image.end(done.returncode).detail == "program_missing: python3"


def test_a_folder_of_the_work_is_not_the_program(image: Image) -> None:
    image.add_python()
    (image.cwd / "torch").mkdir()

    assert image.end(image.run(launcher="torchrun").returncode).detail == "program_missing: torch"


def test_what_is_there_gets_the_command_as_it_was_written(image: Image) -> None:
    image.add_python()
    package = image.packages / "torch" / "distributed"
    package.mkdir(parents=True)
    for name in ("torch/__init__.py", "torch/distributed/__init__.py"):
        (image.packages / name).touch()
    (package / "run.py").write_text(SHOWS)

    done = image.run(launcher="torchrun")

    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines() == ["--no-python", *TRAIN]
    assert not list(image.notices.checkpoint_dir.iterdir())
