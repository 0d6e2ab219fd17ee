"""What is left of an installation after its host: a backup, brought into a second one that knows nothing."""

import shutil
import tarfile
from collections.abc import Iterator
from pathlib import Path
from typing import Final
from urllib.request import urlopen

import pytest

from deploy.server.answers import SECRETS
from portal.demo import organisation
from tests.deploy.stack.stack import UP_S, Stack, cloned, init, taken_down
from tests.e2e.story import SitDown
from tests.e2e.words import ENGLISH

pytestmark = [pytest.mark.docker, pytest.mark.long, pytest.mark.timeout(3600)]

KEPT: Final = ("secret_key", "encryption_keys")
"""Of `secrets/`: what the pages say to keep beside backups. Passwords of the database are each host's own."""


@pytest.fixture
def second(stack: Stack, tmp_path: Path) -> Iterator[Stack]:
    """An installation on the same engine, with ports of its own and nothing in it yet."""
    made = cloned(tmp_path, stack.engine, "berthsecond", scheme="http")
    init(made, "--compose-profiles", "")
    with taken_down(made):
        yield made


def test_a_backup_is_restored_into_a_second_installation(
    stack: Stack, second: Stack, person: SitDown
) -> None:
    stack.berth_server("backup")
    (made,) = stack.backups.iterdir()
    shutil.copytree(made, second.backups / made.name)
    for secret in KEPT:
        ours = second.clone / SECRETS / secret
        ours.unlink()
        shutil.copy(stack.clone / SECRETS / secret, ours)

    refused = second.try_berth_server("--language", "en", "restore", f"/backups/{made.name}")
    assert "not_confirmed" in refused
    second.berth_server("restore", f"/backups/{made.name}", "--confirm")
    second.compose("up", "-d", within_s=UP_S)
    second.wait_well()
    with urlopen(f"{second.url}/livez") as answer:
        assert answer.status == 204

    admin = person(second, ENGLISH)
    admin.sign_in(organisation.ADMIN, stack.password)
    nodes = admin.call("GET", "nodes")["results"]
    # They speak to the first one still.
    assert {node["name"] for node in nodes if node["state"] != "ready"} == {"demo-1", "demo-2"}
    again = second.try_berth_server(
        "--language", "en", "restore", f"/backups/{made.name}", "--confirm"
    )
    assert "database_not_empty" in again


def test_a_support_bundle_holds_logs_and_no_secret(stack: Stack) -> None:
    bundle = stack.clone / "berth-support.tar.gz"
    bundle.unlink(missing_ok=True)
    stack.berth_server("support-bundle")
    with tarfile.open(bundle) as archive:
        files = {
            each.name: file.read().decode()
            for each in archive.getmembers()
            if (file := archive.extractfile(each))
        }
    text = "".join(files.values())
    assert "link.opened" in text
    secrets = {path.read_text() for path in (stack.clone / SECRETS).iterdir()}
    assert {secret for secret in secrets if secret and secret in text} == set()
