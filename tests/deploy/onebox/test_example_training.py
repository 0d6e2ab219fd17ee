"""The first command of the guide: the example is copied into a home and run from there."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

from deploy.onebox.nodes import EXAMPLE_TRAINING, write_example


def run(script: Path, data: Path, outputs: Path) -> list[str]:
    env = os.environ | {"BERTH_DATA_DIR": str(data), "BERTH_OUTPUT_DIR": str(outputs)}
    shown = subprocess.run(
        [sys.executable, str(script)],
        env=env | {"STEPS": "3", "PAUSE_S": "0"},
        check=True,
        capture_output=True,
        text=True,
    )
    return shown.stdout.splitlines()


def test_a_copy_of_the_example_reads_the_data_set(tmp_path: Path) -> None:
    data, home, outputs = tmp_path / "data", tmp_path / "home", tmp_path / "outputs"
    for folder in (home, outputs):
        folder.mkdir()
    write_example(data / "example")
    script = Path(shutil.copy(data / "example" / "train.py", home / "train.py"))
    lines = run(script, data, outputs)
    assert len(lines) == 3
    assert lines[0].startswith("@metrics step=0 loss=")
    assert (outputs / "model.json").exists()


def test_the_example_runs_where_it_lies(tmp_path: Path) -> None:
    write_example(tmp_path / "example")
    assert (tmp_path / "example" / "train.py").read_text() == EXAMPLE_TRAINING.read_text()
    lines = run(tmp_path / "example" / "train.py", Path("/nowhere"), tmp_path)
    assert lines[-1].startswith("@metrics step=2 ")
