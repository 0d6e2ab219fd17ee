"""`berth-server` as people call it: one process for each command, on a real database."""

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from deploy.onebox.options import REPOSITORY
from deploy.server.__main__ import parser
from deploy.server.words import load_words
from tests.deploy.server.databases import berth_server, empty_database
from tests.serving import silent_port


@pytest.fixture
def url() -> Iterator[str]:
    with empty_database() as made:
        yield made


@pytest.mark.django_db
def test_check_names_every_fault_at_once_with_a_code_each(url: str, tmp_path: Path) -> None:
    with silent_port() as port:
        given = {
            "BERTH_PORTAL_URL": f"https://127.0.0.1:{port}",
            "BERTH_APPS_URL": f"https://localhost:{port}",
            "BERTH_SECRET_KEY": "change-me",
            "BERTH_STORAGE_DIR": str(tmp_path / "missing"),
            "BERTH_REDIS_URL": "unix:///nowhere.sock",
        }
        done = berth_server("--language", "zh-CN", "check", url=url, given=given)

    assert done.returncode == 1
    codes = [line.partition(":")[0] for line in done.stderr.splitlines()]
    assert codes == [
        "certificate_missing",
        "certificate_missing",
        "proxy_not_named",
        "key_weak",
        "folder_missing",
        "role_is_superuser",
        "migrations_missing",
        "valkey_away",
    ]
    assert "目录" in done.stderr


def test_wrong_settings_are_named_before_anything_reads_them() -> None:
    given = {"BERTH_PORTAL_URL": "nowhere", "BERTH_TIME_ZONE": "Mars/Olympus"}
    done = berth_server("check", url="postgresql://nobody@/none", given=given)
    codes = {line.split(":")[1].strip() for line in done.stderr.splitlines()}
    assert codes == {"BERTH_PORTAL_URL", "BERTH_TIME_ZONE"}
    assert done.returncode == 1


@pytest.mark.timeout(600)
@pytest.mark.django_db
def test_an_empty_database_becomes_an_installation_with_an_administrator(
    url: str, tmp_path: Path
) -> None:
    early = berth_server("upgrade", "--into", tmp_path / "made", "--tools", tmp_path, url=url)
    assert (early.returncode, early.stderr.partition(":")[0]) == (1, "tool_missing")
    assert berth_server("migrate", url=url).returncode == 0
    nothing_to_do = berth_server("upgrade", "--tools", tmp_path, url=url)
    assert nothing_to_do.returncode == 0, nothing_to_do.stderr

    made = berth_server("create-admin", "wang.fang", "--display-name", "Wang Fang", url=url)
    assert made.returncode == 0, made.stderr
    assert len(made.stdout.strip()) >= 12
    nodes = ("demo-1=development", "demo-2=training")
    seeded = berth_server("demo", "--folder", tmp_path, *nodes, url=url)
    assert seeded.returncode == 0, seeded.stderr
    tokens = [tmp_path / "demo-1.token", tmp_path / "demo-2.token"]
    assert {token.stat().st_mode & 0o777 for token in tokens} == {0o600}
    assert len({token.read_text() for token in tokens} - {""}) == 2
    bundle = tmp_path / "support.tar.gz"
    for code in (0, 1):
        collected = berth_server("support-bundle", "--output", bundle, url=url)
        assert (collected.returncode, "path_exists" in collected.stderr) == (code, bool(code))
    assert bundle.stat().st_mode & 0o777 == 0o600
    managed = berth_server("manage", "check_invariants", url=url)
    assert managed.returncode == 0, managed.stderr


def test_the_script_is_the_same_entry_point() -> None:
    done = subprocess.run(
        [REPOSITORY / "berth-server", "--help"],
        cwd="/",
        env={"PATH": os.environ["PATH"]},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == parser().format_help()


def test_what_no_command_takes_is_refused() -> None:
    done = berth_server("check", "--unknown", url="postgresql://nobody@/none")
    assert done.returncode == 2


def test_every_sentence_is_said_somewhere() -> None:
    sources = [path.read_text() for path in (REPOSITORY / "deploy/server").rglob("*.py")]
    said = "\n".join(sources)
    unsaid = [code for code in load_words("en") if code not in said and not code.startswith("ask_")]
    assert unsaid == []
