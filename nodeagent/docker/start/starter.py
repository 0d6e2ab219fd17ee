"""Starts one container: its image, its folders, the create call, its start barrier, its limits."""

import asyncio
import os
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import replace
from typing import Any, Final

from nodeagent.disk.container_dir import AppEndpoint, ContainerDir
from nodeagent.disk.start_barrier import StartBarrier, hold_barrier
from nodeagent.docker.containers import direct_kill, inspection
from nodeagent.docker.containers.container_spec import DockerRuntimeSettings, create_options
from nodeagent.docker.containers.node_containers import NodeContainers
from nodeagent.docker.engine.errors import NO_SHELL, start_error_of
from nodeagent.docker.images.image_store import ImageStore
from nodeagent.docker.network.container_network import ContainerNetwork
from nodeagent.docker.network.gang_networks import GangNetworks
from nodeagent.docker.network.gangs import is_gang
from nodeagent.docker.start.barrier_program import add_barrier, find_process_scope
from nodeagent.docker.start.mounts import ResolvedMounts, parse_image_env, parse_pid, resolve_mounts
from nodeagent.docker.start.secret_variables import SHELL, add_variables
from nodeagent.docker.start.user_map import UserMap, parse_user_map
from nodeagent.host.clock import SystemClock
from nodeagent.host.free_ports import find_free_port
from nodeagent.ports import ApplyLimits, ContainerOrder, ProgressCallback, StartError
from wire.words import ExitCause

BARRIER_MS: Final = 60_000
BARRIER_POLL_S: Final = 0.01
REPORT_MS: Final = 1000
"""Between two reports of a pull: each one sends a heartbeat."""


class Starter:
    """Starts containers of one node; the caller cleans up after a failure."""

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

    async def start(
        self,
        order: ContainerOrder,
        directory: ContainerDir,
        report_progress: ProgressCallback,
        apply_limits: ApplyLimits,
    ) -> AppEndpoint | None:
        """Start a container, and return where its web application will answer, if it has one.

        Raises `StartError`, or the engine's `APIError`; an order to stop is obeyed between steps.
        """
        with ExitStack() as held:
            barrier = None
            if order.injection.needs_barrier:
                barrier = held.enter_context(hold_barrier(directory.barrier_path))
            endpoint = await self._create_and_start(order, directory, report_progress)
            await self._apply_limits(order, apply_limits)
            if barrier is not None:
                barrier.open()
                await self._wait_until_passed(order, barrier)
        return endpoint

    async def _wait_until_passed(self, order: ContainerOrder, barrier: StartBarrier) -> None:
        """Keep the barrier until the work has passed it, which may take a moment on a busy host."""
        deadline = SystemClock().now_ms() + BARRIER_MS
        pause_s = BARRIER_POLL_S
        while not barrier.is_passed:
            if SystemClock().now_ms() > deadline:
                raise StartError(ExitCause.START_FAILED, "it did not begin when it was let go")
            await asyncio.sleep(pause_s)
            pause_s = min(2 * pause_s, 50 * BARRIER_POLL_S)
            if not parse_pid(await self._containers.inspect(order.key) or {}):
                return  # it has ended, and its end will be reported

    async def _create_and_start(
        self, order: ContainerOrder, directory: ContainerDir, report_progress: ProgressCallback
    ) -> AppEndpoint | None:
        users = await self._load_user_map()
        _require_groups(order, users)
        sources = await asyncio.to_thread(resolve_mounts, self._settings, order, directory, users)
        endpoint = self._plan_endpoint(order)
        async with self._images.in_use(order.spec.image):
            await self._create(order, directory, report_progress, endpoint, sources)
        _refuse_if_stopped(directory)
        report_progress("starting")
        await self._containers.start(order.key)
        found: dict[str, Any] = await self._containers.inspect(order.key) or {}
        direct_kill.record_init_process(directory, found)
        await asyncio.to_thread(sources.verify, parse_pid(found))
        if endpoint is not None and self._settings.has_own_network:
            endpoint = replace(endpoint, port=inspection.find_published_port(found) or 0)
        if endpoint is not None:
            directory.write_endpoint(endpoint)
        return endpoint

    async def _create(
        self,
        order: ContainerOrder,
        directory: ContainerDir,
        report_progress: ProgressCallback,
        endpoint: AppEndpoint | None,
        sources: ResolvedMounts,
    ) -> None:
        """Prepare everything that the create call names, and create the container."""
        image = await self._images.ensure(
            order.spec.image, _pull_step(directory, report_progress), order.registry_login
        )
        options = create_options(
            self._settings, order, endpoint, sources.mounts, parse_image_env(image)
        )
        needs_shell = any(secret.kind == "env" for secret in order.secrets)
        if needs_shell:
            options = add_variables(options, image)
        if order.injection.needs_barrier:
            options = add_barrier(options, image, directory)
        report_progress("creating")
        _refuse_if_stopped(directory)
        if self._network is not None:
            await self._network.ensure_ready()
        if is_gang(order) and self._settings.has_own_network:
            await self._gangs.ensure(order)
        await self._containers.create(options)
        if needs_shell and not await self._containers.has_file(order.key, SHELL):
            # Its init would only say in the log that the program is not found.
            detail = f"{order.spec.image} has no {SHELL}: take secrets as files"
            raise start_error_of(NO_SHELL, detail)

    async def _apply_limits(self, order: ContainerOrder, apply_limits: ApplyLimits) -> None:
        """Set limits on the processes, before or while the work runs."""
        if order.injection.isolation is None:
            return
        scope = find_process_scope(await self._containers.inspect(order.key))
        if scope is not None:
            await apply_limits(scope)
        elif order.injection.needs_barrier:
            raise StartError(ExitCause.START_FAILED, "it ended before its limits were set")

    async def _load_user_map(self) -> UserMap | None:
        """Return the engine's mapping of users; None when the agent is not root."""
        if os.getuid() != 0:
            return None
        if self._users is None:
            self._users = parse_user_map(await self._containers.engine.read_info())
        return self._users

    def _plan_endpoint(self, order: ContainerOrder) -> AppEndpoint | None:
        """Return where a notebook will answer; a published port is known after the start."""
        if order.spec.kind != "environment":
            return None
        host, port = self._settings.bind_address, 0
        if not self._settings.has_own_network:
            port = find_free_port(host)
        return AppEndpoint(host, port, order.spec.base_path, order.spec.app_token)


def _require_groups(order: ContainerOrder, users: UserMap | None) -> None:
    """Refuse device files that are open to a group of the host only, which a remapped user is not in."""
    groups = order.injection.groups
    if groups and users is not None and users.is_remapped:
        detail = f"device_not_accessible: only to groups {groups}, and the engine remaps them"
        raise StartError(ExitCause.NODE_FAULT, detail)


def _pull_step(directory: ContainerDir, report_progress: ProgressCallback) -> Callable[[int], None]:
    """Return a callback that reports a pull's progress, and obeys an order to stop."""
    reported, reported_at = -1, 0

    def step(percent: int) -> None:
        nonlocal reported, reported_at
        _refuse_if_stopped(directory)
        now = SystemClock().now_ms()
        if reported < 0 or (percent != reported and now - reported_at >= REPORT_MS):
            reported, reported_at = percent, now
            report_progress("pulling", percent)

    return step


def _refuse_if_stopped(directory: ContainerDir) -> None:
    order = directory.stops.read_order()
    if order is not None:
        raise StartError(order.cause, "stopped before it was started")
