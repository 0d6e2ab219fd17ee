"""The agent's settings: file, environment, and every fault at once."""

from pathlib import Path

import pytest
from pydantic import ValidationError

from nodeagent.app.composition import prepare_state_dir
from nodeagent.config import load_config

SMALLEST = """
name = "gpu-1"
portal_url = "http://127.0.0.1:8000"
state_dir = "/var/lib/berth"
storage_dir = "/srv/berth"
"""


def test_smallest_file_is_enough(tmp_path: Path) -> None:
    config = load_config(written(tmp_path, SMALLEST))
    assert (config.name, config.runtime, config.simulated.count) == ("gpu-1", "auto", 0)


def test_environment_beats_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BERTH_AGENT_JOIN_TOKEN", "from-the-environment")
    monkeypatch.setenv("BERTH_AGENT_SIMULATED__COUNT", "3")
    config = load_config(written(tmp_path, SMALLEST + 'join_token = "x"\n[simulated]\ncount = 8\n'))
    assert (config.join_token, config.simulated.count) == ("from-the-environment", 3)


def test_all_faults_are_told_at_once(tmp_path: Path) -> None:
    broken = 'name = "../x"\nportal_url = "ftp://x"\nmemory_mib = 0\ntypo = 1\n'
    with pytest.raises(ValidationError) as caught:
        load_config(written(tmp_path, broken))
    fields = {str(error["loc"][0]) for error in caught.value.errors()}
    assert fields == {"name", "portal_url", "memory_mib", "typo", "state_dir", "storage_dir"}


@pytest.mark.parametrize("line", ["join_tokn = 'a-secret'", "join_token = ['a-secret']"])
def test_faults_do_not_repeat_what_may_be_a_secret(line: str, tmp_path: Path) -> None:
    with pytest.raises(ValidationError) as caught:
        load_config(written(tmp_path, SMALLEST + line + "\n"))
    assert "join_tok" in str(caught.value)
    assert "a-secret" not in str(caught.value)


def test_state_folder_is_narrowed_whoever_has_made_it(tmp_path: Path) -> None:
    config = load_config(
        written(tmp_path, SMALLEST.replace("/var/lib/berth", str(tmp_path / "state")))
    )
    (tmp_path / "state").mkdir()
    (tmp_path / "state").chmod(0o755)
    assert prepare_state_dir(config).root.stat().st_mode & 0o777 == 0o700


def written(folder: Path, text: str) -> Path:
    path = folder / "agent.toml"
    path.write_text(text, encoding="utf-8")
    return path
