"""Containers in a Docker engine: the engine keeps them alive, labels identify them."""

import asyncio
import os
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Final, Literal

import structlog
from docker.errors import APIError

from nodeagent.core.state import ContainerKey, Finished
from nodeagent.core.stop_notice import StopNotice
from nodeagent.disk.container_dir import ContainerDir, list_container_dirs
from nodeagent.disk.declared_load import keep_declared_load
from nodeagent.disk.log_marks import read_marks
from nodeagent.disk.notices import announce_stop, read_checkpoints
from nodeagent.docker.containers.adoption import adopt_container
from nodeagent.docker.containers.container_spec import DockerRuntimeSettings
from nodeagent.docker.containers.exit_watcher import ExitWatcher
from nodeagent.docker.containers.log_copies import LogCopies
from nodeagent.docker.containers.node_containers import NodeContainers
from nodeagent.docker.containers.observer import (
    ContainerObserver,
    to_whole_seconds,
    write_stop_order,
)
from nodeagent.docker.containers.stats import ANSWER_S, read_usage
from nodeagent.docker.engine.client import DockerEngine
from nodeagent.docker.engine.errors import to_start_error
from nodeagent.docker.images.image_ledger import ImageLedger
from nodeagent.docker.images.image_store import FetchLogin, ImageStore, ImageStoreSettings
from nodeagent.docker.images.ordered_pulls import ImagesPortal, OrderedImagePulls
from nodeagent.docker.network.container_network import ContainerNetwork
from nodeagent.docker.network.egress import gang_bridge_prefix
from nodeagent.docker.network.gang_networks import GangNetworks
from nodeagent.docker.saving.image_saver import DockerImageSaver
from nodeagent.docker.start.starter import Starter
from nodeagent.host.clock import SystemClock
from nodeagent.host.tasks import run_together
from nodeagent.ports import (
    ApplyLimits,
    ContainerOrder,
    ContainerUsage,
    ProgressCallback,
    RunningContainer,
    RuntimeUnavailableError,
    StartError,
    apply_no_limits,
)
from wire.log_marks import LogMark
from wire.words import ExitCause

log = structlog.get_logger()

LISTING_MS: Final = 300
"""Maximum age of a listing that waiters for an end share."""
LEDGER: Final = "images.json"


class DockerRuntime:
    """The `ContainerRuntime` port over one engine, for the containers labelled with this node."""

    name: Literal["docker"] = "docker"
    makes_images = True

    def __init__(
        self,
        root: Path,
        settings: DockerRuntimeSettings,
        engine: DockerEngine,
        images: ImageStoreSettings | None = None,
        network: ContainerNetwork | None = None,
    ) -> None:
        """Keep one directory per container below `root`; without `network`, the caller provides it."""
        self.is_isolated = settings.has_own_network
        self._root = root
        self._engine = engine
        self._containers = NodeContainers(engine, settings.node, settings.node_id, root)
        ledger = ImageLedger(root.parent / LEDGER)
        self.images = ImageStore(engine, ledger, images or ImageStoreSettings())
        self._ordered_pulls: OrderedImagePulls | None = None
        self.image_saver = DockerImageSaver(self._containers)
        self._logs = LogCopies(self._containers, settings.log_bytes_max)
        self._observer = ContainerObserver(self._containers, self._logs, settings.storage_dir)
        self._gangs = GangNetworks(engine, settings.gang, gang_bridge_prefix(settings.network))
        self._starter = Starter(settings, self._containers, self.images, self._gangs, network)
        self._exit_watcher = ExitWatcher(self._containers)
        self._starting: set[ContainerKey] = set()
        self._stopping: dict[ContainerKey, int] = {}

    async def list_containers(self) -> tuple[RunningContainer | Finished, ...]:
        """Compare directories and labels; what was created but never started is removed.

        A container that started while the engine made its list may not be on it, and is not gone.
        """
        before = [
            item for item in list_container_dirs(self._root) if item.key not in self._starting
        ]
        found = await self._containers.list_states()
        places = {directory.key: directory for directory in before if directory.exists}
        known = {directory.key for directory in list_container_dirs(self._root)}
        for key in sorted(found.keys() - known - self._starting):
            directory = await self._adopt(key, found[key])
            if directory is not None:
                places[key] = directory
        return tuple(
            [
                await self._observer.observe(directory, found.get(key))
                for key, directory in places.items()
            ]
        )

    async def start(
        self,
        order: ContainerOrder,
        report_progress: ProgressCallback,
        apply_limits: ApplyLimits = apply_no_limits,
    ) -> RunningContainer:
        """Pull if needed, create, start; nothing of a failed start is left."""
        directory = ContainerDir(self._root, order.key)
        try:
            os.close(
                directory.create(
                    order.devices, order.injection.isolation, order.silence, order.spec.probe
                )
            )
        except OSError as error:
            raise StartError(ExitCause.START_FAILED, f"directory: {error.strerror}") from error
        self._starting.add(order.key)
        try:
            keep_declared_load(directory.path, order.spec.env)
            endpoint = await self._starter.start(order, directory, report_progress, apply_limits)
        except APIError as error:  # it is an OSError as well, so it comes first
            raise await self._clean_failed_start(
                directory, to_start_error(str(error.explanation or error))
            ) from error
        except OSError as error:
            raise await self._clean_failed_start(directory, to_start_error(str(error))) from error
        except StartError as error:
            raise await self._clean_failed_start(directory, error) from error
        finally:
            self._starting.discard(order.key)
        _write_started(directory)
        self._logs.follow(directory)
        return RunningContainer(directory.read_container(), endpoint, order.spec.probe)

    async def mark_ready(self, key: ContainerKey) -> None:
        """Record it in the container's directory."""
        ContainerDir(self._root, key).mark_ready()

    async def wait_for_end(self, key: ContainerKey) -> Finished:
        """Wait for an event or poll; also enforces an order to stop whose deadline is over."""
        directory, entered = ContainerDir(self._root, key), SystemClock().now_ms()
        with self._exit_watcher.register(key) as waiter:
            while True:
                since = max(entered, SystemClock().now_ms() - LISTING_MS)
                since = since if not waiter.quick_looks_left else SystemClock().now_ms()
                try:
                    listing = await self._containers.list_states_since(since)
                    held = await self._observer.observe(directory, listing.get(key))
                    if isinstance(held, Finished):
                        return held
                    await self._enforce_deadline(directory)
                except RuntimeUnavailableError as error:
                    # Many waiters poll twice a second; `ContainerTasks.discover` logs it as a
                    # warning.
                    log.debug("engine.silent", error=str(error))
                await self._exit_watcher.wait(waiter)

    async def deliver_notice(self, key: ContainerKey, notice: StopNotice) -> None:
        """Write the notice and have the engine send the signal; its init forwards it."""
        await asyncio.to_thread(announce_stop, ContainerDir(self._root, key), notice)
        if notice.signal:
            await self._containers.send_signal(key, notice.signal)

    async def read_checkpoints(self, keys: Collection[ContainerKey]) -> Mapping[ContainerKey, int]:
        """Look at the checkpoint files of these containers."""
        return await asyncio.to_thread(read_checkpoints, self._root, tuple(keys))

    async def stop(self, key: ContainerKey, cause: ExitCause, grace_ms: int) -> None:
        """Write the order first, so that the cause is known even if the agent ends now."""
        directory = ContainerDir(self._root, key)
        if not directory.exists:
            return
        order = write_stop_order(directory, cause, grace_ms)
        if self._stopping.get(key, order.deadline + 1) <= order.deadline:
            return
        self._stopping[key] = order.deadline
        try:
            grace_ms = max(0, order.deadline - SystemClock().now_ms())
            await self._containers.stop(key, to_whole_seconds(grace_ms))
        finally:
            self._stopping.pop(key, None)

    async def remove(self, key: ContainerKey) -> None:
        """Remove the ended container, its log and its directory."""
        directory = ContainerDir(self._root, key)
        await self._containers.delete(key)
        await self._gangs.remove_if_unused(key)
        await asyncio.to_thread(directory.remove)

    async def read_log(self, key: ContainerKey, offset: int, limit: int) -> bytes:
        """Read the copy of the log."""
        return ContainerDir(self._root, key).read_log(offset, limit)

    async def read_marks(self, key: ContainerKey, begin: int, end: int) -> Sequence[LogMark]:
        """Return when the lines that begin in these bytes of its log were written."""
        return read_marks(ContainerDir(self._root, key).marks_path, begin, end)

    async def read_excess(self, key: ContainerKey, offset: int, limit: int) -> bytes:
        """Return the metrics lines that came after the beginning of its log."""
        return ContainerDir(self._root, key).read_excess(offset, limit)

    async def measure_usage(self) -> Mapping[ContainerKey, ContainerUsage]:
        """Read the usage of every live container from the engine."""
        listing = await self._containers.list_states()
        live = [key for key, state in listing.items() if state == "running"]
        names = {key: self._containers.engine_name(key) for key in live}
        return await self._engine.call(lambda: read_usage(self._engine.client_for(ANSWER_S), names))

    def prefetch_images(self, references: tuple[str, ...], login_hosts: tuple[str, ...]) -> None:
        """Keep these images, and pull them while nothing else is to do."""
        self.images.set_wanted(references, login_hosts)

    def use_portal(self, fetch_login: FetchLogin, portal: ImagesPortal) -> None:
        """Take logins of registries and orders to pull from the portal."""
        self.images.use_logins(fetch_login)
        self._ordered_pulls = OrderedImagePulls(self.images, portal)

    async def maintain(self) -> None:
        """Pull and clean images repeatedly; remove unused networks of gangs once."""
        await self._gangs.prune()
        works = [self.images.maintain()]
        if self._ordered_pulls is not None:
            works.append(self._ordered_pulls.run())
        await run_together(*works)

    async def _adopt(self, key: ContainerKey, state: str) -> ContainerDir | None:
        """Adopt a container without a directory, unless it was never started or is not the agent's."""
        found = await self._containers.inspect(key) if state != "created" else None
        directory = adopt_container(self._root, key, found) if found else None
        if directory is None:
            log.warning("container.unknown", allocation=key.allocation, epoch=key.epoch)
            await self._containers.delete(key)
        return directory

    async def _enforce_deadline(self, directory: ContainerDir) -> None:
        """Kill what outlives its deadline: the order's sender may have ended, or the engine hung."""
        order = directory.stops.read_order()
        if order is None or directory.key in self._stopping:
            return
        if SystemClock().now_ms() > order.deadline + LISTING_MS:
            await self._containers.stop(directory.key, 0)

    async def _clean_failed_start(self, directory: ContainerDir, error: StartError) -> StartError:
        """Delete everything of a failed start, and return what to raise."""
        await self._containers.delete(directory.key)
        await self._gangs.remove_if_unused(directory.key)
        await asyncio.to_thread(directory.remove)
        return StartError(error.cause, error.detail)


def _write_started(directory: ContainerDir) -> None:
    """Write when the work started; where the disk refuses, the engine reports it at the end."""
    try:
        directory.write_started(SystemClock().wall_ms())
    except OSError as error:
        log.warning("start.not_written", allocation=directory.key.allocation, error=str(error))
