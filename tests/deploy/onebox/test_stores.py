"""Which server of hints a onebox runs."""

import subprocess
from pathlib import Path

import pytest

from deploy.onebox.stores import redis_server


def test_a_machine_without_a_server_runs_the_one_that_comes_with_the_platform(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("PATH", "")
    told = subprocess.run([redis_server(), "--version"], check=True, capture_output=True, text=True)
    assert told.stdout.startswith("Valkey server v=")


def test_the_server_of_the_machine_comes_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = tmp_path / "valkey-server"
    own.touch(mode=0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert redis_server() == str(own)
