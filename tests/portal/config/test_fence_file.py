"""The file of fence commands: typed, bounded, and refused whole when anything in it is wrong."""

from pathlib import Path

import pytest

from portal.common.site_config import FenceCommand, FenceCommands
from portal.config.files.fence import read_fence_file

POOL = '[pools.training]\ncommand = ["off", "{node}-bmc", "{pool}"]\ntimeout_s = 30\n'
NODE = '[nodes.gpu-7]\ncommand = ["off-7"]\nafter_s = 600\nattempts_max = 1\n'


def test_command_of_a_node_goes_before_that_of_its_pool(tmp_path: Path) -> None:
    file = tmp_path / "fence.toml"
    file.write_text(POOL + NODE)
    found = read_fence_file(file)

    of_pool = FenceCommand(("off", "{node}-bmc", "{pool}"), 30)
    assert found.find("gpu-1", "training") == of_pool
    assert of_pool.fill_in("gpu-1", "training") == ("off", "gpu-1-bmc", "training")
    assert found.find("gpu-7", "training") == FenceCommand(("off-7",), 60, 600, 1)
    assert found.find("gpu-1", "development") is None
    assert not found.is_empty


def test_without_a_file_nothing_is_fenced() -> None:
    assert read_fence_file(None) == FenceCommands()
    assert FenceCommands().is_empty


@pytest.mark.parametrize(
    "text",
    [
        "[pools.a]\n",
        "[pools.a]\ncommand = []\n",
        '[pools.a]\ncommand = "off"\n',
        '[pools.a]\ncommand = ["off"]\ntimeout_s = 1000\n',
        '[pools.a]\ncommand = ["off"]\nafter_s = 1\n',
        '[pools.a]\ncommand = ["off"]\nshell = true\n',
        "pools = 3\n",
        "no toml",
    ],
)
def test_wrong_file_is_refused(text: str, tmp_path: Path) -> None:
    file = tmp_path / "fence.toml"
    file.write_text(text)
    with pytest.raises(ValueError, match=r"."):
        read_fence_file(file)
