"""What `deploy/tools/nvml-dump` writes down is what the fake library answers after loading it."""

import json
import subprocess
import sys
from pathlib import Path

import pynvml
import pytest

from nodeagent.gpu.drivers.nvidia import NvidiaDriver
from tests.fakes.nvml import machine
from tests.fakes.nvml.machine import (
    H100_PROFILES,
    Card,
    FakeNvml,
    fake_nvml,
    h100,
    nvml_from_dump,
    t4,
    uuid_of,
)

pytestmark = pytest.mark.nvml

TOOL = Path(__file__).parents[4] / "deploy" / "tools" / "nvml-dump"


def dumped(made: FakeNvml, *options: str) -> str:
    command = [sys.executable, str(TOOL), *options]
    env = made.environment
    return subprocess.run(command, env=env, check=True, capture_output=True, text=True).stdout


def test_dump_load_dump_is_the_same(tmp_path: Path) -> None:
    cut: Card = {"mig_mode": 1, "instance": ["1 9 4", "2 19 0"], "compute": ["1 0", "2 1"]}
    cards = [h100(0, ecc_uncorrected=2, recovery=4), h100(1, **cut), t4(2)]
    (tmp_path / "one").mkdir()
    (tmp_path / "other").mkdir()
    first = dumped(FakeNvml(tmp_path / "one" / "state", cards, driver="550.1"))
    again = dumped(nvml_from_dump(tmp_path / "other" / "state", first))
    assert again == first
    fixture = json.loads(first)
    assert fixture["machine"]["driver"] == "550.1"
    assert [card["name"] for card in fixture["cards"]] == [
        "NVIDIA H100 80GB HBM3",
        "NVIDIA H100 80GB HBM3",
        "Tesla T4",
    ]
    whole, parted, small = fixture["cards"]
    for key in ("uuid", "serial", "pci", "memory_total", "nvlink", "remapped", "recovery"):
        assert whole[key] == cards[0][key]
    assert sorted(parted["mig_profile"]) == sorted(H100_PROFILES)
    assert (parted["instance"], parted["compute"]) == (cut["instance"], cut["compute"])
    assert (small["old_driver"], "nvlink" in small, "mig_mode" in small) == (1, False, False)


def test_real_card_is_represented_whole(tmp_path: Path) -> None:
    """`h200.json` is what the tool wrote on a machine with an H200 and driver 580."""
    real = (Path(machine.__file__).with_name("h200.json")).read_text(encoding="utf-8")
    assert dumped(nvml_from_dump(tmp_path / "state", real)) == real


async def test_agent_reads_a_real_card(tmp_path: Path) -> None:
    real = json.loads(Path(machine.__file__).with_name("h200.json").read_text(encoding="utf-8"))
    with fake_nvml(tmp_path, real["cards"], **real["machine"]):
        driver = NvidiaDriver(pynvml)
        (reading,) = (await driver.read({}, {})).cards
        driver.close()
    facts = reading.facts
    assert (facts.model, facts.memory_mib, facts.driver) == ("NVIDIA H200", 143771, "580.159.04")
    assert (facts.health, facts.fault, facts.island, facts.mig) == ("ok", "", 0, ())
    assert (facts.temperature_c, facts.power_mw, reading.processes) == (37, 122019, ())


def test_anonymous_dumps_tell_no_identity(tmp_path: Path) -> None:
    made = FakeNvml(tmp_path / "state", [h100(0)])
    text = dumped(made, "--anonymous")
    assert uuid_of(0) not in text
    assert str(made.cards[0]["serial"]) not in text


def test_without_cards_it_says_so(tmp_path: Path) -> None:
    made = FakeNvml(tmp_path / "state", [], fail="nvmlInitWithFlags 9")
    told = subprocess.run(
        [sys.executable, str(TOOL)], env=made.environment, check=False, capture_output=True
    )
    assert told.returncode == 1
    assert b"NVML does not answer" in told.stderr
