"""Other vendors' cards as work sees them from inside a real container.

The host is recorded; its device files are real ones below the test's folder, with the numbers of the
kernel's source of zeros, so that the work can open and read them.
"""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Final

import pytest

from nodeagent.core.state import ContainerKey
from nodeagent.gpu.card_access import CardAccess
from nodeagent.gpu.drivers.community import CommunityDriver
from nodeagent.ports import ContainerOrder, StartError
from nodeagent.sharing.controller import SharingController
from nodeagent.sharing.records import ShareRecords
from tests.fakes.vendor_hosts import HOSTS, RecordedHost
from tests.fakes.work import an_order, ignore_progress
from tests.nodeagent.contract.conftest import Node, _docker_node
from tests.waiting import PATIENCE_S
from wire.words import Device, ExitCause, Isolation

pytestmark = pytest.mark.docker

KEY: Final = ContainerKey("job.0", 1)
LOOKS: Final = (
    "perl",
    "-e",
    r"""
    my ($known, $mounts) = @ARGV;
    for my $folder ("/dev", "/dev/dri") {
        opendir(my $names, $folder) or next;
        for my $name (map { "$folder/$_" } sort(readdir($names))) {
            next if -l $name or not -c $name;
            my $bytes = 0;
            if (index($known, "$name,") >= 0 && open(my $file, "+<", $name)) {
                $bytes = sysread($file, my $data, 8);
            }
            print "device $name $bytes\n";
        }
    }
    for my $name (split(/,/, $mounts)) {
        my $rights = open(my $file, ">>", -d $name ? "$name/version.info" : $name) ? "rw" : "ro";
        print "mount $name ", (-e $name ? $rights : "missing"), "\n";
    }
    for my $name (sort(keys(%ENV))) {
        print "env $name $ENV{$name}\n" if $name =~ /VISIBLE|AFFINITY|LD_LIBRARY/;
    }
    """,
)
"""Prints the device files that it sees and what it reads of some, the mounts, the variables."""
ORDINARY: Final = frozenset(
    f"/dev/{name}"
    for name in ("console", "full", "null", "ptmx", "random", "tty", "urandom", "zero")
)
"""Device files of every container."""


@pytest.fixture
def node(tmp_path: Path, docker_host: str) -> Iterator[Node]:
    yield from _docker_node(tmp_path / "node", docker_host)


async def a_controller(host: RecordedHost, root: Path) -> tuple[SharingController, str]:
    """Return the port of an agent on that host, and the UUID of its second card."""
    host.build(root)
    host.make_devices(root)
    readings = (await CommunityDriver(host.detect, PATIENCE_S).read({}, {})).cards
    cards = {card.facts.uuid: card for card in readings}
    offered = [
        card.facts.model_copy(update={"isolation": (Isolation.EXCLUSIVE,)}) for card in readings
    ]
    access = CardAccess(cards.get, has_containers=True, root=root)
    records = ShareRecords(root / "shares")
    return SharingController(lambda: offered, records, [], None, access.describe), offered[1].uuid


def an_order_of_all_looks(host: RecordedHost, uuid: str) -> ContainerOrder:
    read = "".join(f"{name}," for name in host.devices)
    return an_order((*LOOKS, read, ",".join(host.mounts)), devices=(Device(uuid, 65536),))


@pytest.mark.parametrize("vendor", list(HOSTS))
async def test_work_sees_its_own_card_and_no_other(node: Node, vendor: str, tmp_path: Path) -> None:
    host = HOSTS[vendor]
    sharing, uuid = await a_controller(host, tmp_path / "host")
    order = an_order_of_all_looks(host, uuid)
    prepared = replace(order, injection=await sharing.prepare(order))
    await node.runtime.start(prepared, ignore_progress)
    end = await node.runtime.wait_for_end(KEY)
    log = (await node.runtime.read_log(KEY, 0, 10_000)).decode()
    assert end.exit_code == 0, log
    seen: dict[str, dict[str, str]] = {"device": {}, "mount": {}, "env": {}}
    for line in log.splitlines():
        what, name, value = line.split(" ", 2)
        seen[what][name] = value
    granted = {name: seen["device"][name] for name in seen["device"].keys() - ORDINARY}
    assert granted == dict.fromkeys(host.files, "8")
    assert seen["mount"] == dict.fromkeys(host.mounts, "ro")
    of_nvidia = {"CUDA_VISIBLE_DEVICES": "", "NVIDIA_VISIBLE_DEVICES": "void"}
    assert seen["env"] == of_nvidia | dict(host.env)


@pytest.mark.parametrize("vendor", list(HOSTS))
async def test_start_without_a_needed_file_leaves_nothing(
    node: Node, vendor: str, tmp_path: Path
) -> None:
    host, root = HOSTS[vendor], tmp_path / "host"
    sharing, uuid = await a_controller(host, root)
    (root / host.files[-1 if vendor in {"amd", "hygon"} else 0].lstrip("/")).unlink()
    with pytest.raises(StartError, match="device_missing") as raised:
        await sharing.prepare(an_order_of_all_looks(host, uuid))
    assert raised.value.cause is ExitCause.NODE_FAULT
    assert await node.runtime.list_containers() == ()
    assert list(ShareRecords(root / "shares")) == []
