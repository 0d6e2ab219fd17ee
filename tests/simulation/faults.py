"""What goes wrong: each seed draws which kinds of fault are on, and when they strike."""

from collections.abc import Callable
from functools import partial

from tests.simulation.host import Host
from tests.simulation.lonely import LonelyFaults
from tests.simulation.loop import SECOND, Loop
from tests.simulation.network import Weather
from tests.simulation.restore_faults import RestoreFaults
from tests.simulation.server import Server
from tests.simulation.silence import SilenceFaults
from tests.simulation.twins import TwinFaults
from wire.facts import AcceleratorHealth

STORMS = range(3, 1_000_000_000, 4)
"""Every fourth seed: messages fare as badly as they ever do. Rare orders show here first."""
FAULTS_MS = 360 * SECOND
"""The world is unkind for six minutes; then everything heals."""
LONG_OUTAGES = range(5, 1_000_000_000, 40)
"""Every fortieth seed: the portal is away for hours or days, and the world is unkind as long."""


class Nemesis:
    """Strikes at random moments with the kinds of fault that this seed has drawn."""

    def __init__(self, loop: Loop, server: Server, hosts: list[Host], weather: Weather) -> None:
        self.loop = loop
        self.server = server
        self.hosts = hosts
        self.weather = weather
        self.kinds: list[Callable[[Host], None]] = []
        self.ends_ms = FAULTS_MS
        """When everything heals."""
        self.silence = SilenceFaults(loop, server, hosts)
        self.restores = RestoreFaults(loop, server, hosts)
        self.twins = TwinFaults(loop, hosts)
        self.lonely = LonelyFaults(loop, hosts)

    def plan(self) -> None:
        """Draw the weather, the kinds and the moments of this seed."""
        rng = self.loop.rng
        self.weather.lost = rng.choice((0, 2, 20))
        self.weather.doubled = rng.choice((0, 5, 30))
        self.weather.late = rng.choice((0, 10, 25))
        if self.loop.seed in STORMS:
            self.weather.lost, self.weather.doubled, self.weather.late = 20, 30, 25
        kinds = (
            self.crash_agent,
            self.freeze_agent,
            self.reboot,
            self.partition,
            self.cut_one_way,
            self.flap_link,
            self.slow_disk,
            self.break_card,
            self.crash_container,
            self.restart_server,
            self.silence.portal_outage,
            self.silence.declare_lost,
            self.silence.fence,
            self.silence.clone_host,
        )
        self.restores.plan()
        self.twins.plan()
        self.lonely.plan()
        self.kinds = [kind for kind in kinds if self.loop.chance(40)]
        if self.loop.seed in LONG_OUTAGES:
            self.ends_ms = self.silence.plan_long_outage()
        if self.loop.chance(60):
            for host in self.hosts:
                host.ambush = self._ambush
        for _ in range(rng.randint(3, 24) if self.kinds else 0):
            kind, host = rng.choice(self.kinds), rng.choice(self.hosts)
            self.loop.after(rng.randrange(self.ends_ms), partial(kind, host))

    def heal(self) -> None:
        """Repair everything that is broken."""
        self.weather.lost = self.weather.doubled = self.weather.late = 0
        self.server.is_up = True
        self.silence.heal()
        self.restores.is_healed = True
        self.twins.heal()
        self.lonely.heal()
        for host in self.hosts:
            host.ambush = None
            host.link.heal()
            host.disk.is_slow = False
            if not host.is_on and not self.silence.is_shut_out(host):
                host.boot()
            host.thaw()
            host.start_agent()
            for index in range(len(host.cards)):
                host.change_card(index, AcceleratorHealth.OK)

    # --- Kinds of fault ------------------------------------------------------------------------

    def crash_agent(self, host: Host) -> None:
        """The agent dies; its containers and its watchdog go on; it is started again."""
        host.trace(host.id, "agent crashes")
        host.kill_agent()
        self.loop.after(self._pause(1, 90), host.start_agent)

    def freeze_agent(self, host: Host) -> None:
        """The agent stands still, perhaps for longer than its lease."""
        host.trace(host.id, "agent freezes")
        host.freeze()
        self.loop.after(self._pause(1, 120), host.thaw)

    def reboot(self, host: Host) -> None:
        """The host loses power and comes back."""
        host.trace(host.id, "power lost")
        host.power_off()
        self.loop.after(self._pause(15, 120), lambda: self.silence.switch_on(host))

    def partition(self, host: Host) -> None:
        """Nothing passes between node and portal."""
        host.trace(host.id, "partitioned")
        host.link.up_is_cut = host.link.down_is_cut = True
        self.loop.after(self._pause(2, 150), host.link.heal)

    def cut_one_way(self, host: Host) -> None:
        """Messages pass in one direction only."""
        if self.loop.chance(50):
            host.link.up_is_cut = True
        else:
            host.link.down_is_cut = True
        host.trace(host.id, f"cut one way, up={host.link.up_is_cut}")
        self.loop.after(self._pause(2, 150), host.link.heal)

    def flap_link(self, host: Host) -> None:
        """The connection breaks and is opened again."""
        host.flap()

    def slow_disk(self, host: Host) -> None:
        """Saving takes seconds."""
        host.disk.is_slow = True
        self.loop.after(self._pause(5, 60), lambda: setattr(host.disk, "is_slow", False))

    def break_card(self, host: Host) -> None:
        """A card falls off the bus or turns bad, and comes back."""
        index = self.loop.rng.randrange(len(host.cards))
        health = self.loop.rng.choice((AcceleratorHealth.GONE, AcceleratorHealth.BAD))
        host.trace(host.id, f"card {index} is {health}")
        host.change_card(index, health)
        self.loop.after(self._pause(10, 120), lambda: host.change_card(index, AcceleratorHealth.OK))

    def crash_container(self, host: Host) -> None:
        """One container dies by itself."""
        alive = host.engine.alive
        if alive:
            host.engine.crash(self.loop.rng.choice(alive).key)

    def restart_server(self, host: Host) -> None:
        """The portal is away for a while; PostgreSQL keeps everything."""
        host.trace("portal", "restarts")
        self.server.is_up = False
        self.loop.after(self._pause(1, 60), lambda: setattr(self.server, "is_up", True))

    def _ambush(self, host: Host) -> None:
        """Strike within a moment of a start: what was taken may never have been told."""
        if self.loop.chance(15):
            kind = self.loop.rng.choice((self.crash_agent, self.freeze_agent, self.reboot))
            self.loop.after(self.loop.between(0, 0.2), partial(kind, host))
            if self.loop.chance(50):
                self.partition(host)

    def _pause(self, low_s: float, high_s: float) -> int:
        """Most faults are short, some outlast the lease."""
        if self.loop.chance(50):
            high_s = low_s + (high_s - low_s) / 8
        return self.loop.between(low_s, high_s)
