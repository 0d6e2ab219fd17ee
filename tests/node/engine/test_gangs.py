"""Ranks on two hosts, each with an engine of its own: they meet on the hosts' network."""

import asyncio
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, Final

import pytest

from nodeagent.core.state import Key
from nodeagent.docker.container_spec import DockerSettings
from nodeagent.docker.engine import Engine
from nodeagent.docker.gangs import GangSettings
from nodeagent.docker.runtime import DockerRuntime
from nodeagent.ports import Order
from tests.fakes.work import an_order
from tests.node.engine.daemon import Daemon
from tests.node.engine.test_daemon import silent
from tests.tiny_image import bring_tiny_image
from tests.waiting import PATIENCE_S

pytestmark = pytest.mark.docker

ADDRESSES: Final = ("198.18.77.1", "198.18.77.2")
"""Kept for tests of networks (RFC 2544), and on the one cable between the hosts only."""
MEETS: Final = r"""
$| = 1;
my ($rank, $world) = @ENV{"RANK", "WORLD_SIZE"};
my $at = pack("S n a4 x8", 2, $ENV{MASTER_PORT}, pack("C4", split(/\./, $ENV{MASTER_ADDR})));
socket(my $own, 2, 1, 6) or die;
if ($rank == 0) {
    bind($own, $at) or die "bind: $!"; listen($own, 5);
    my $sum = 1; my @others;
    for (2 .. $world) { accept(my $other, $own); push @others, $other; $sum += readline($other) }
    for my $other (@others) { syswrite($other, "$sum\n"); close($other) }
    print "rank 0 has $sum\n";
} else {
    until (connect($own, $at)) { select(undef, undef, undef, 0.1); close($own); socket($own, 2, 1, 6) }
    syswrite($own, ($rank + 1) . "\n");
    print "rank $rank has " . readline($own);
}
"""
"""Adds the ranks up at the place that the agent names, as every framework's rendezvous begins."""


@pytest.fixture
def hosts() -> Iterator[tuple[Daemon, Daemon]]:
    """Two hosts with a cable between them, and an engine on each."""
    names = [f"berth-g{os.getpid()}-{number}" for number in range(2)]
    with ExitStack() as stack:
        for name in names:
            _ip("netns", "add", name)
            stack.callback(_ip, "netns", "delete", name)
        _ip(
            "link",
            "add",
            "eth0",
            "netns",
            names[0],
            "type",
            "veth",
            "peer",
            "name",
            "eth0",
            "netns",
            names[1],
        )
        for name, address in zip(names, ADDRESSES, strict=True):
            _ip("-n", name, "address", "add", f"{address}/30", "dev", "eth0")
            for device in ("eth0", "lo"):
                _ip("-n", name, "link", "set", device, "up")
        made = [stack.enter_context(_engine_on(name)) for name in names]
        yield made[0], made[1]


@contextmanager
def _engine_on(host: str) -> Iterator[Daemon]:
    home = Path(tempfile.mkdtemp(prefix="berth-gang-"))
    daemon = Daemon(home, host=host)
    daemon.mount()
    daemon.start()
    with daemon.client() as client:
        bring_tiny_image(client)
    try:
        yield daemon
    finally:
        daemon.close()
        shutil.rmtree(home)


def _ip(*arguments: str) -> None:
    subprocess.run(["ip", *arguments], check=True)


async def _said_by(rank: int, daemon: Daemon, root: Path) -> str:
    """Return what a rank has said that a node's agent has started, once it has ended well."""
    settings = DockerSettings(
        node=f"host-{rank}",
        storage_dir=root / "storage",
        bind_address="127.0.0.1",
        network="berth",
        user_id=1000,
        cpu_milli_max=1000,
        gang=GangSettings(network="host"),
    )
    engine = Engine(daemon.url)
    runtime = DockerRuntime(root / f"containers-{rank}", settings, engine)
    spec: dict[str, Any] = {"rank": rank, "ranks": 2, "ranks_here": 1, "hosts": ADDRESSES}
    order = an_order(("perl", "-e", MEETS), master_address=ADDRESSES[0], **spec).spec
    key = Key(f"job.{rank}", 1)
    try:
        await runtime.start(Order(key, (), order), silent)
        async with asyncio.timeout(PATIENCE_S):
            end = await runtime.ended(key)
        said = (await runtime.read_log(key, 0, 1000)).decode()
        assert end.exit_code == 0, said
        await runtime.remove(key)
    finally:
        engine.close()
    return said


async def test_ranks_on_two_engines_meet_where_the_agents_send_them(
    hosts: tuple[Daemon, Daemon], tmp_path: Path
) -> None:
    ranks = [_said_by(rank, daemon, tmp_path) for rank, daemon in enumerate(hosts)]
    assert await asyncio.gather(*ranks) == ["rank 0 has 3\n", "rank 1 has 3\n"]
