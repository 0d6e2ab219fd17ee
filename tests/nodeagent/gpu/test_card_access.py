"""Cards of each vendor reach the work that was granted them, and no others: on recorded hosts."""

import os
import stat
from pathlib import Path

import pytest

from nodeagent.card_ports import CardReading
from nodeagent.gpu.card_access import CardAccess
from nodeagent.gpu.drivers.community import CommunityDriver, load_detector
from nodeagent.gpu.drivers.intel import INTEL, detect_intel_cards
from nodeagent.gpu.vendors import VENDORS
from nodeagent.ports import Injection, StartError
from tests.fakes.vendor_hosts import HOSTS, RecordedHost
from tests.waiting import PATIENCE_S
from wire.facts import AcceleratorFacts
from wire.words import ExitCause

every_vendor = pytest.mark.parametrize("vendor", list(HOSTS))


class Bench:
    """One recorded host below a folder; its device files are recorded only."""

    def __init__(self, host: RecordedHost, root: Path) -> None:
        self.host, self.root = host, root
        self.devices = dict(host.devices)
        host.build(root)

    async def read(self) -> dict[str, CardReading]:
        detect = load_detector(self.root) if self.host.vendor == INTEL else self.host.detect
        readings = await CommunityDriver(detect, PATIENCE_S).read({}, {})
        return {str(card.facts.index): card for card in readings.cards}

    async def access(self, *, has_containers: bool = True) -> CardAccess:
        cards = await self.read()
        return CardAccess(
            cards.get, has_containers=has_containers, root=self.root, lstat=self._lstat
        )

    def remove(self, name: str) -> None:
        """Take away a device file or a folder."""
        if self.devices.pop(name, None) is None:
            path = self.root / name.lstrip("/")
            path.rename(path.with_name("gone"))

    def _lstat(self, path: Path) -> os.stat_result:
        mode, group = self.devices.get(f"/{path.relative_to(self.root)}", (0, 0))
        if not mode:
            return path.lstat()
        return os.stat_result((stat.S_IFCHR | mode, 1, 1, 1, 0, group, 0, 0, 0, 0))


@pytest.fixture
def bench(vendor: str, tmp_path: Path) -> Bench:
    return Bench(HOSTS[vendor], tmp_path)


def test_every_vendor_of_the_table_is_recorded() -> None:
    assert HOSTS.keys() == VENDORS.keys()


@every_vendor
async def test_work_gets_the_files_of_its_own_card_and_the_shared_ones(bench: Bench) -> None:
    found = (await bench.access()).describe(["1"])
    assert sorted(item.target for item in found.device_files) == sorted(bench.host.files)
    for item in found.device_files:
        assert item.source == bench.root / item.target.lstrip("/")
    assert found.groups == tuple(sorted(bench.host.groups))


@every_vendor
async def test_two_cards_are_counted_from_zero_and_share_the_control_files(bench: Bench) -> None:
    found = (await bench.access()).describe(["1", "0"])
    targets = [item.target for item in found.device_files]
    assert len(targets) == len(set(targets))
    assert set(bench.host.files) < set(targets)
    assert "0,1" in found.env.values()


@every_vendor
async def test_variables_name_the_granted_card(bench: Bench) -> None:
    assert (await bench.access()).describe(["1"]).env == bench.host.env


@every_vendor
async def test_process_runtime_gets_variables_alone_with_numbers_of_the_host(bench: Bench) -> None:
    found = (await bench.access(has_containers=False)).describe(["1"])
    assert found == Injection(env=bench.host.host_env, devices=())


@every_vendor
async def test_driver_of_the_host_is_mounted_read_only(bench: Bench) -> None:
    found = (await bench.access()).describe(["1"])
    assert tuple(item.target for item in found.mounts) == bench.host.mounts
    assert all(item.is_read_only for item in found.mounts)


@every_vendor
@pytest.mark.parametrize("has_containers", [True, False])
async def test_start_is_refused_for_each_thing_that_the_host_lacks(
    bench: Bench, tmp_path: Path, *, has_containers: bool
) -> None:
    for number, name in enumerate(bench.host.needed):
        bad = Bench(bench.host, tmp_path / f"without-{number}")
        bad.remove(name)
        access = await bad.access(has_containers=has_containers)
        with pytest.raises(StartError, match=f"device_missing: {name} ") as raised:
            access.describe(["1"])
        assert raised.value.cause is ExitCause.NODE_FAULT


@every_vendor
async def test_link_in_place_of_a_device_file_is_refused(bench: Bench) -> None:
    name = bench.host.files[0]
    bench.remove(name)
    path = bench.root / name.lstrip("/")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.symlink_to("/dev/zero")
    with pytest.raises(StartError, match="device_missing"):
        (await bench.access()).describe(["1"])


@every_vendor
@pytest.mark.parametrize(("mode", "group"), [(0o600, 44), (0o660, 0), (0o640, 44)])
async def test_file_that_work_could_not_open_is_refused(
    bench: Bench, mode: int, group: int
) -> None:
    bench.devices[bench.host.files[0]] = mode, group
    with pytest.raises(StartError, match="device_not_accessible"):
        (await bench.access()).describe(["1"])


@pytest.mark.parametrize("vendor", ["amd", "hygon", "intel"])
async def test_card_without_pci_address_is_refused(bench: Bench) -> None:
    cards = await bench.read()
    unknown = CardReading(cards["1"].facts)
    access = CardAccess(lambda _: unknown, has_containers=True, root=bench.root)
    with pytest.raises(StartError, match=r"device_missing: .*/renderD"):
        access.describe(["1"])


@pytest.mark.parametrize(("vendor", "simulated"), [("nvidia", False), ("simulated", True)])
def test_nvidia_and_simulated_cards_need_nothing_of_this(vendor: str, *, simulated: bool) -> None:
    facts = AcceleratorFacts(
        uuid="GPU-1", index=0, vendor=vendor, model="any", memory_mib=1, simulated=simulated
    )
    access = CardAccess(lambda _: CardReading(facts), has_containers=True)
    assert access.describe(["GPU-1"]) == Injection()


@pytest.mark.parametrize("vendor", ["amd"])
async def test_cards_of_two_vendors_are_given_each_in_its_own_way(bench: Bench) -> None:
    facts = AcceleratorFacts(uuid="GPU-1", index=0, vendor="nvidia", model="any", memory_mib=1)
    cards = {**await bench.read(), "GPU-1": CardReading(facts)}
    access = CardAccess(cards.get, has_containers=True, root=bench.root, lstat=bench._lstat)
    found = access.describe(["GPU-1", "1"])
    assert found.devices == ("GPU-1",)
    assert found.env == bench.host.env


@pytest.mark.parametrize("vendor", ["ascend"])
async def test_cards_of_a_vendor_outside_of_the_table_take_no_work(bench: Bench) -> None:
    devices = bench.host.detect()
    for device in devices:
        device.manufacturer = "iluvatar"
    readings = await CommunityDriver(lambda: devices, PATIENCE_S).read({}, {})
    assert {card.facts.fault for card in readings.cards} == {"vendor_unsupported"}
    access = CardAccess(lambda _: readings.cards[0], has_containers=True, root=bench.root)
    with pytest.raises(StartError, match="vendor_unsupported"):
        access.describe(["any"])


@pytest.mark.parametrize("vendor", ["intel"])
def test_intel_cards_are_found_in_sys_with_their_memory_and_a_name_of_their_own(
    bench: Bench, tmp_path: Path
) -> None:
    first, second = detect_intel_cards(bench.root)
    assert (first.index, first.name, first.memory) == (0, bench.host.model, 128 * 1024)
    assert (first.appendix["bdf"], second.appendix["bdf"]) == ("0000:10:00.0", "0000:11:00.0")
    assert first.uuid != second.uuid
    window = bench.root / "sys/bus/pci/devices/0000:10:00.0/resource"
    window.write_text("0x0 0xffffff 0x0\n0x0 0x0 0x0\n0x0 0xfffffff 0x0\n")
    assert detect_intel_cards(bench.root)[0].memory == 128 * 1024
    (bench.root / "sys/bus/pci/devices/0000:11:00.0/device").write_text("0x46a6\n")
    assert [card.index for card in detect_intel_cards(bench.root)] == [0]
    (tmp_path / "etc").mkdir()
    (tmp_path / "etc/machine-id").write_text("another host\n")
    assert detect_intel_cards(bench.root)[0].uuid != first.uuid


def test_a_host_without_such_cards_has_none(tmp_path: Path) -> None:
    assert detect_intel_cards(tmp_path) == []
