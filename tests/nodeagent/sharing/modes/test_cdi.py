"""A partition that was made after boot is in the engine's description before a container wants it."""

import asyncio
from pathlib import Path

import pytest

from nodeagent.host.commands import HostCommandRunner
from nodeagent.sharing.modes.cdi import CdiFile

OLD, NEW = "MIG-11111111-old", "MIG-22222222-new"
GENERATES = f"""#!/bin/sh
echo "$@" >> "$(dirname "$0")/said"
[ "$1 $2" = "cdi generate" ] && echo "- name: {NEW}" > "${{3#--output=}}"
"""


@pytest.fixture
def host(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A host with the toolkit's program, and the folders that an engine reads."""
    for name in ("bin", "etc", "run"):
        (tmp_path / name).mkdir()
    program = tmp_path / "bin" / "nvidia-ctk"
    program.write_text(GENERATES)
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:/usr/bin:/bin")
    return tmp_path


def cdi(host: Path) -> CdiFile:
    return CdiFile(HostCommandRunner(), (host / "etc", host / "run"))


def said(host: Path) -> list[str]:
    path = host / "bin" / "said"
    return path.read_text().splitlines() if path.exists() else []


async def test_new_partition_is_described_where_the_last_description_lies_and_once(
    host: Path,
) -> None:
    file = host / "run" / "nvidia.yaml"
    for path in (host / "etc" / "nvidia.yaml", file):
        path.write_text(f"- name: {OLD}\n")
    description = cdi(host)
    await description.ensure_described([OLD])
    assert said(host) == []
    await asyncio.gather(
        description.ensure_described([NEW]), description.ensure_described([OLD, NEW])
    )
    assert (NEW in file.read_text(), said(host)) == (True, [f"cdi generate --output={file}"])


async def test_host_without_descriptions_gets_none(host: Path) -> None:
    await cdi(host).ensure_described([NEW])
    assert (said(host), list((host / "etc").iterdir())) == ([], [])


async def test_toolkit_that_fails_is_left_to_the_engine_s_own_words(host: Path) -> None:
    (host / "etc" / "nvidia.yaml").write_text("")
    (host / "bin" / "nvidia-ctk").write_text("#!/bin/sh\nexit 1\n")
    await cdi(host).ensure_described([NEW])
    assert (host / "etc" / "nvidia.yaml").read_text() == ""
