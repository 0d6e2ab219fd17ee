"""Bringing one container up: its image, its folders, the create call, its gate, its limits."""

import asyncio
import os
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import replace
from typing import Any, Final

from nodeagent.disk.container_dir import ContainerDir, Endpoint
from nodeagent.disk.start_barrier import StartBarrier, hold_barrier
from nodeagent.docker.containers import direct_kill, inspection
from nodeagent.docker.containers.container_spec import DockerRuntimeSettings, create_options
from nodeagent.docker.containers.node_containers import NodeContainers
from nodeagent.docker.images.image_store import ImageStore
from nodeagent.docker.network.container_network import ContainerNetwork
from nodeagent.docker.network.gang_networks import GangNetworks
from nodeagent.docker.network.gangs import is_gang
from nodeagent.docker.start.barrier_program import add_barrier, find_process_scope
from nodeagent.docker.start.mounts import ResolvedMounts, parse_image_env, parse_pid, resolve_mounts
from nodeagent.docker.start.user_map import UserMap, parse_user_map
from nodeagent.host.clock import SystemClock
from nodeagent.host.free_ports import find_free_port
from nodeagent.ports import ApplyLimits, ContainerOrder, ProgressCallback, StartError
from wire.words import ExitCause

BARRIER_MS: Final = 60_000
BARRIER_POLL_S: Final = 0.01
REPORT_MS: Final = 1000
"""Between two words about a pull: each one is a heartbeat."""


class Starter:
    """Starts containers of one node; leaves the clearing up after a failure to its caller."""

    def __init__(
        self,
        settings: DockerRuntimeSettings,
        containers: NodeContainers,
        images: ImageStore,
        gangs: GangNetworks,
        network: ContainerNetwork | None,
    ) -> None:
        self._settings = settings
        self._network = network
        self._containers = containers
        self._images = images
        self._gangs = gangs
        self._users: UserMap | None = None

    async def bring_up(
        self,
        order: ContainerOrder,
        place: ContainerDir,
        note: ProgressCallback,
        confine: ApplyLimits,
    ) -> Endpoint | None:
        """Return where the web application will answer, if there is one.

        Raises `StartError`, or the engine's `APIError`; an order to stop is obeyed between steps.
        """
        with ExitStack() as held:
            gate = None
            if order.fittings.is_gated:
                gate = held.enter_context(hold_barrier(place.gate_path))
            endpoint = await self._started(order, place, note)
            await self._confined(order, confine)
            if gate is not None:
                gate.open()
                await self._passed(order, gate)
        return endpoint

    async def _passed(self, order: ContainerOrder, gate: StartBarrier) -> None:
        """Hold the gate until the work is through, which on a busy host may take its first moments."""
        deadline = SystemClock().now_ms() + BARRIER_MS
        pause_s = BARRIER_POLL_S
        while not gate.is_passed:
            if SystemClock().now_ms() > deadline:
                raise StartError(ExitCause.START_FAILED, "it did not begin when it was let go")
            await asyncio.sleep(pause_s)
            pause_s = min(2 * pause_s, 50 * BARRIER_POLL_S)
            if not parse_pid(await self._containers.inspected(order.key) or {}):
                return  # it has ended, and its end will be told

    async def _started(
        self, order: ContainerOrder, place: ContainerDir, note: ProgressCallback
    ) -> Endpoint | None:
        users = await self._user_map()
        sources = await asyncio.to_thread(resolve_mounts, self._settings, order, place, users)
        endpoint = self._endpoint(order)
        async with self._images.in_use(order.spec.image):
            await self._create(order, place, note, endpoint, sources)
        _refuse_if_stopped(place)
        note("starting")
        await self._containers.start(order.key)
        found: dict[str, Any] = await self._containers.inspected(order.key) or {}
        direct_kill.record_init_process(place, found)
        await asyncio.to_thread(sources.check, parse_pid(found))
        if endpoint is not None and self._settings.has_own_network:
            endpoint = replace(endpoint, port=inspection.find_published_port(found) or 0)
        if endpoint is not None:
            place.write_endpoint(endpoint)
        return endpoint

    async def _create(
        self,
        order: ContainerOrder,
        place: ContainerDir,
        note: ProgressCallback,
        endpoint: Endpoint | None,
        sources: ResolvedMounts,
    ) -> None:
        """Have everything there that the create call names, and make it."""
        image = await self._images.ensure(order.spec.image, _pull_step(place, note))
        options = create_options(
            self._settings, order, endpoint, sources.mounts, parse_image_env(image)
        )
        if order.fittings.is_gated:
            options = add_barrier(options, image, place)
        note("creating")
        _refuse_if_stopped(place)
        if self._network is not None:
            await self._network.ready()
        if is_gang(order) and self._settings.has_own_network:
            await self._gangs.ensure(order)
        await self._containers.create(options)

    async def _confined(self, order: ContainerOrder, confine: ApplyLimits) -> None:
        """Have limits set on the processes, before or while the work runs."""
        if order.fittings.isolation is None:
            return
        confines = find_process_scope(await self._containers.inspected(order.key))
        if confines is not None:
            await confine(confines)
        elif order.fittings.is_gated:
            raise StartError(ExitCause.START_FAILED, "it ended before its limits were set")

    async def _user_map(self) -> UserMap | None:
        """Return who the work is on the host; None when only root could give folders away."""
        if os.getuid() != 0:
            return None
        if self._users is None:
            self._users = parse_user_map(await self._containers.engine.info())
        return self._users

    def _endpoint(self, order: ContainerOrder) -> Endpoint | None:
        """Return where an environment will answer; a published port is known after the start."""
        if order.spec.kind != "environment":
            return None
        host, port = self._settings.bind_address, 0
        if not self._settings.has_own_network:
            port = find_free_port(host)
        return Endpoint(host, port, order.spec.base_path, order.spec.app_token)


def _pull_step(place: ContainerDir, note: ProgressCallback) -> Callable[[int], None]:
    """Return what hears of a pull's progress: tells it now and then, and obeys an order to stop."""
    told, told_at = -1, 0

    def step(percent: int) -> None:
        nonlocal told, told_at
        _refuse_if_stopped(place)
        now = SystemClock().now_ms()
        if told < 0 or (percent != told and now - told_at >= REPORT_MS):
            told, told_at = percent, now
            note("pulling", percent)

    return step


def _refuse_if_stopped(place: ContainerDir) -> None:
    order = place.stop_order()
    if order is not None:
        raise StartError(order.cause, "stopped before it was started")
