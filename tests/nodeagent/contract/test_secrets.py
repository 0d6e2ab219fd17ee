"""Secrets of a container: inside as variables and files, outside in memory only, gone at the end."""

import json
import stat
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from deploy.onebox.engine import EngineEndpoint as OwnEngine
from nodeagent.core.state import ContainerKey
from nodeagent.host.secret_files import SecretFiles, root_for
from nodeagent.ports import StartError
from tests.fakes.work import an_order, ignore_progress
from tests.nodeagent.contract.conftest import Node
from tests.tiny_image import programs_root
from tests.waiting import wait_until_async
from wire.secrets import SecretValue
from wire.words import ExitCause

KEY = ContainerKey("job.0", 1)
CANARY = "canary-6b1f3c"
CURIOUS = f'{CANARY} it\'s "$HOME" `id`\n\\ second line'
"""What a shell would expand, split or end early."""
SECRETS = (
    SecretValue(kind="env", target="HUB_TOKEN", value=CURIOUS),
    SecretValue(kind="file", target="key.pem", value=f"{CANARY}\nlast line"),
)
TELLS = """
case "$HUB_TOKEN" in canary-*"it's"*'$HOME'*'`id`'*'second line') echo "variable ${#HUB_TOKEN}";; esac
while read -r line; do echo "file ${#line}"; done < "$BERTH_SECRETS_DIR/key.pem"
ls -A "$BERTH_SECRETS_DIR"
(echo more > "$BERTH_SECRETS_DIR/key.pem") 2>/dev/null || echo unchangeable
"""
"""Shows that they are there, without showing them."""

real_nodes = pytest.mark.parametrize(
    "node", ["process", pytest.param("docker", marks=pytest.mark.docker)], indirect=True
)


@pytest.fixture(autouse=True)
def no_rest(tmp_path: Path) -> Iterator[None]:
    """Leave nothing in the memory of the machine."""
    yield
    SecretFiles(root_for(tmp_path)).keep_only(())
    if root_for(tmp_path).is_dir():
        root_for(tmp_path).rmdir()


def files_with(text: str, root: Path) -> list[Path]:
    """Return the files below a folder that contain a text."""
    files = (path for path in root.rglob("*") if path.is_file() and not path.is_fifo())
    return [path for path in files if text.encode() in path.read_bytes()]


@real_nodes
async def test_work_finds_its_secrets_as_variables_and_as_files(node: Node) -> None:
    order = replace(an_order(("sh", "-c", TELLS)), secrets=SECRETS)

    await node.runtime.start(order, ignore_progress)
    await node.runtime.wait_for_end(KEY)

    said = (await node.runtime.read_log(KEY, 0, 1000)).decode().splitlines()
    assert said[0] == f"variable {len(CURIOUS)}"
    assert said[1] == f"file {len(CANARY)}"
    assert {".env", "key.pem"} <= set(said)


@real_nodes
async def test_no_disk_of_the_node_and_no_engine_has_them(
    node: Node, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    order = replace(an_order(("sleep", "1000")), secrets=SECRETS)
    await node.runtime.start(order, ignore_progress)

    folder = node.secrets.folder(KEY)
    assert CANARY in (folder / "key.pem").read_text(encoding="utf-8")
    assert stat.S_IMODE((folder / "key.pem").stat().st_mode) == 0o400
    assert stat.S_IMODE(folder.stat().st_mode) == 0o500
    assert files_with(CANARY, tmp_path) == []
    if node.kind == "docker":
        with OwnEngine(str(request.getfixturevalue("docker_host"))).client() as client:
            known = [each.attrs for each in client.containers.list(all=True)]
        assert any("/berth/secrets" in json.dumps(attrs) for attrs in known)
        assert CANARY not in json.dumps(known)

    await node.runtime.stop(KEY, ExitCause.STOPPED, 0)
    await node.runtime.wait_for_end(KEY)
    node.secrets.remove(KEY)
    assert not folder.exists()


@pytest.mark.docker
@pytest.mark.parametrize("node", ["docker"], indirect=True)
async def test_an_image_without_a_shell_has_secrets_as_files_only(
    node: Node, request: pytest.FixtureRequest
) -> None:
    with OwnEngine(str(request.getfixturevalue("docker_host"))).client() as client:
        root = programs_root(("sleep",))
        client.api.import_image_from_data(root, repository="berth/no-shell", tag="1")
    order = an_order(("sleep", "1000"), image="berth/no-shell:1")

    with pytest.raises(StartError) as caught:
        await node.runtime.start(replace(order, secrets=SECRETS), ignore_progress)
    assert (caught.value.cause, caught.value.detail.split(":")[0]) == (
        ExitCause.START_FAILED,
        "no_shell",
    )
    as_files = tuple(secret for secret in SECRETS if secret.kind == "file")
    await node.runtime.start(replace(order, secrets=as_files), ignore_progress)
    await node.runtime.stop(KEY, ExitCause.STOPPED, 0)
    await node.runtime.wait_for_end(KEY)


@pytest.mark.parametrize("node", ["process"], indirect=True)
async def test_without_an_agent_the_shim_removes_them(node: Node) -> None:
    order = replace(an_order(("sh", "-c", "exit 0")), secrets=SECRETS)

    await node.runtime.start(order, ignore_progress)

    async def is_gone() -> bool:
        return not node.secrets.folder(KEY).exists()

    await wait_until_async(is_gone)


def test_secrets_are_not_written_to_a_disk(tmp_path: Path) -> None:
    with pytest.raises(StartError, match="secrets_not_in_memory"):
        SecretFiles(tmp_path / "secrets").write(KEY, SECRETS, None)
    assert files_with(CANARY, tmp_path) == []


def test_a_folder_that_others_may_read_is_refused(tmp_path: Path) -> None:
    root = root_for(tmp_path)
    root.mkdir(mode=0o755)
    root.chmod(0o755)

    with pytest.raises(StartError, match="secrets_exposed"):
        SecretFiles(root).write(KEY, SECRETS, None)


def test_a_new_agent_removes_what_no_container_has(tmp_path: Path) -> None:
    files, other = SecretFiles(root_for(tmp_path)), ContainerKey("job.1", 3)
    files.write(KEY, SECRETS, None)
    files.write(other, SECRETS, None)

    files.keep_only([other])

    assert not files.folder(KEY).exists()
    assert files.folder(other).exists()


def test_a_value_is_in_no_representation() -> None:
    order = replace(an_order(("true",)), secrets=SECRETS)

    assert CANARY not in repr(order)
    assert CANARY not in repr(SECRETS)
