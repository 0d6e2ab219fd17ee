"""Containers in a Docker engine: the engine keeps them alive, labels say whose they are."""

import asyncio
import os
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from shutil import rmtree
from typing import Any, Final, Literal

import structlog
from docker.errors import APIError, NotFound

from nodeagent.clock import SystemClock
from nodeagent.core.state import Cause, Finished, Key
from nodeagent.disk.container_dir import ContainerDir, Endpoint, container_dirs
from nodeagent.disk.gate import a_gate
from nodeagent.docker import inspection
from nodeagent.docker.container_spec import (
    LABEL_ALLOCATION,
    LABEL_EPOCH,
    LABEL_NODE,
    DockerSettings,
    container_name,
    create_options,
)
from nodeagent.docker.engine import Engine
from nodeagent.docker.errors import explain
from nodeagent.docker.gated import confines_of, gated
from nodeagent.docker.logs import LogCopy
from nodeagent.docker.sources import gather, image_env, pid_of
from nodeagent.docker.statistics import usage_of
from nodeagent.docker.users import UserMap, user_map
from nodeagent.launch.listening import free_port
from nodeagent.ports import (
    Confine,
    Order,
    Running,
    RuntimeUnavailableError,
    StartError,
    Usage,
    unconfined,
)

log = structlog.get_logger()

PULL_S: Final = 1500
POLL_MS: Final = 300
"""Between looks at which containers live; one call for all of them."""
LOG_END_S: Final = 5.0
STOP_MARGIN_S: Final = 10


class DockerRuntime:
    """The `ContainerRuntime` port over one engine, for the containers labelled with this node."""

    name: Literal["docker"] = "docker"
    is_isolated = True

    def __init__(self, root: Path, settings: DockerSettings, engine: Engine) -> None:
        self._root = root
        self._settings = settings
        self._engine = engine
        self._users: UserMap | None = None
        self._starting: set[Key] = set()
        self._logs: dict[Key, LogCopy] = {}
        self._stopping: dict[Key, int] = {}
        self._listing: dict[Key, str] = {}
        self._listing_at = 0
        self._listing_lock = asyncio.Lock()

    async def held(self) -> tuple[Running | Finished, ...]:
        """Compare directories and labels; what was created but never started is removed."""
        found = await self._listed()
        places = {place.key: place for place in container_dirs(self._root)}
        for key in found.keys() - places.keys() - self._starting:
            log.warning("container.unknown", allocation=key.allocation, epoch=key.epoch)
            await self._delete(key)
        items = [
            await self._look(place, found.get(key))
            for key, place in places.items()
            if key not in self._starting
        ]
        return tuple(items)

    async def start(
        self, order: Order, note: Callable[[str], None], confine: Confine = unconfined
    ) -> Running:
        """Pull if need be, create, start; an order to stop is obeyed between the steps."""
        place = ContainerDir(self._root, order.key)
        try:
            os.close(place.create(order.devices, order.fittings.isolation))
        except OSError as error:
            raise StartError(Cause.START_FAILED, f"directory: {error.strerror}") from error
        self._starting.add(order.key)
        try:
            with ExitStack() as held:
                gate = None
                if order.fittings.is_gated:
                    gate = held.enter_context(a_gate(place.gate_path))
                endpoint = await self._brought_up(order, place, note)
                await self._confined(order, confine)
                if gate is not None:
                    gate.open()
        except APIError as error:  # an OSError too, in the SDK's family tree
            raise await self._failed(place, *explain(str(error.explanation or error))) from error
        except OSError as error:
            raise await self._failed(place, Cause.START_FAILED, str(error)) from error
        except StartError as error:
            raise await self._failed(place, error.cause, error.detail) from error
        finally:
            self._starting.discard(order.key)
        place.write_started(SystemClock().wall_ms())
        self._copy_log(place)
        return Running(place.container(), endpoint)

    async def mark_ready(self, key: Key) -> None:
        """Leave a mark in the container's directory."""
        ContainerDir(self._root, key).mark_ready()

    async def ended(self, key: Key) -> Finished:
        """Watch the list of live containers; the engine's description then tells the end."""
        place, entered = ContainerDir(self._root, key), SystemClock().now_ms()
        while True:
            since = max(entered, SystemClock().now_ms() - POLL_MS)
            try:
                held = await self._look(place, (await self._listed_since(since)).get(key))
                if isinstance(held, Finished):
                    return held
            except RuntimeUnavailableError as error:
                log.warning("engine.silent", error=str(error))
            await asyncio.sleep(POLL_MS / 1000)

    async def stop(self, key: Key, cause: Cause, grace_ms: int) -> None:
        """Write the order down first, so that the cause is known even if the agent dies now."""
        place = ContainerDir(self._root, key)
        if not place.exists:
            return
        order = place.order_stop(cause, SystemClock().now_ms() + grace_ms)
        if self._stopping.get(key, order.deadline + 1) <= order.deadline:
            return
        self._stopping[key] = order.deadline
        try:
            await self._stop(key, max(0, order.deadline - SystemClock().now_ms()) // 1000)
        finally:
            self._stopping.pop(key, None)

    async def remove(self, key: Key) -> None:
        """Remove the ended container, its log and its directory."""
        place = ContainerDir(self._root, key)
        await self._delete(key)
        await asyncio.to_thread(rmtree, place.path, ignore_errors=True)

    async def read_log(self, key: Key, offset: int, limit: int) -> bytes:
        """Read the copy of the log."""
        return ContainerDir(self._root, key).read_log(offset, limit)

    async def usage(self) -> Mapping[Key, Usage]:
        """Ask the engine about every live container."""
        live = [key for key, state in (await self._listed()).items() if state == "running"]
        names = {key: self._name(key) for key in live}
        return await self._engine.call(lambda: usage_of(self._engine.client, names))

    async def _brought_up(
        self, order: Order, place: ContainerDir, note: Callable[[str], None]
    ) -> Endpoint | None:
        users = await self._user_map()
        sources = await asyncio.to_thread(gather, self._settings, order, place, users)
        variables = await self._ensure_image(order.spec.image, place, note)
        endpoint = self._endpoint(order)
        options = create_options(self._settings, order, endpoint, sources.mounts, variables)
        if order.fittings.is_gated:
            options = gated(options, await self._image(order.spec.image), place)
        note("creating")
        _refuse_if_stopped(place)
        await self._engine.call(lambda: self._engine.client.containers.create(**options))
        _refuse_if_stopped(place)
        note("starting")
        name = self._name(order.key)
        await self._engine.call(lambda: self._engine.client.api.start(name))
        found = await self._inspected(order.key) or {}
        await asyncio.to_thread(sources.check, pid_of(found))
        if endpoint is not None and self._settings.has_own_network:
            endpoint = replace(endpoint, port=inspection.published_port(found) or 0)
        if endpoint is not None:
            place.write_endpoint(endpoint)
        return endpoint

    async def _confined(self, order: Order, confine: Confine) -> None:
        """Have limits set on the processes, before or while the work runs."""
        if order.fittings.isolation is None:
            return
        confines = confines_of(await self._inspected(order.key))
        if confines is not None:
            await confine(confines)
        elif order.fittings.is_gated:
            raise StartError(Cause.START_FAILED, "it ended before its limits were set")

    async def _image(self, image: str) -> dict[str, Any]:
        found: dict[str, Any] = await self._engine.call(
            lambda: self._engine.client.api.inspect_image(image)
        )
        return found

    async def _ensure_image(
        self, image: str, place: ContainerDir, note: Callable[[str], None]
    ) -> tuple[str, ...]:
        """Pull an image that is not here, and return the variables that it sets.

        A stop meanwhile does not wait for the registry.
        """
        try:
            found = await self._engine.call(lambda: self._engine.client.images.get(image))
        except NotFound:
            note("pulling")
        else:
            return image_env(found.attrs)
        pull = asyncio.ensure_future(
            self._engine.call(lambda: self._engine.patient.images.pull(image), PULL_S)
        )
        while not pull.done():
            await asyncio.wait({pull}, timeout=POLL_MS / 1000)
            if place.stop_order() is not None:
                pull.cancel()
                _refuse_if_stopped(place)
        return image_env(pull.result().attrs)

    async def _user_map(self) -> UserMap | None:
        """Return who the work is on the host; None when only root could give folders away."""
        if os.getuid() != 0:
            return None
        if self._users is None:
            self._users = user_map(await self._engine.call(self._engine.client.info))
        return self._users

    def _endpoint(self, order: Order) -> Endpoint | None:
        """Return where an environment will answer; a published port is known after the start."""
        if order.spec.kind != "environment":
            return None
        host, port = self._settings.bind_address, 0
        if not self._settings.has_own_network:
            port = free_port(host)
        return Endpoint(host, port, order.spec.base_path, order.spec.app_token)

    async def _failed(self, place: ContainerDir, cause: Cause, detail: str) -> StartError:
        """Leave nothing of a failed start, and return what to raise."""
        await self._delete(place.key)
        await asyncio.to_thread(rmtree, place.path, ignore_errors=True)
        return StartError(cause, detail)

    async def _look(self, place: ContainerDir, state: str | None) -> Running | Finished:
        """Return what a directory's container is now; its end is written down once."""
        end = place.status().end
        if end is not None:
            return end
        if state in inspection.LIVE:
            self._copy_log(place)
            return Running(place.container(), place.endpoint())
        found = await self._inspected(place.key) if state in inspection.ENDED else None
        if found is None:
            end = self._vanished(place)
        else:
            end = inspection.end_of(place.key, found, place.stop_order())
            if place.is_gate_closed and end.cause is Cause.EXITED:
                detail = "the agent ended before the limits were set"
                end = replace(end, cause=Cause.VANISHED, exit_code=None, detail=detail)
        await self._delete_unstarted(place.key, state)
        await self._finish_log(place)
        place.write_end(end)
        return end

    def _vanished(self, place: ContainerDir) -> Finished:
        order = place.stop_order()
        cause = order.cause if order else Cause.VANISHED
        return Finished(
            place.key,
            cause,
            finished_at=SystemClock().wall_ms(),
            started_at=place.status().started_at,
            detail="the container is gone from the engine",
        )

    async def _delete_unstarted(self, key: Key, state: str | None) -> None:
        if state == "created":
            await self._delete(key)

    def _copy_log(self, place: ContainerDir) -> None:
        copy = self._logs.get(place.key)
        if copy is None or not copy.is_alive:
            name = self._name(place.key)
            self._logs[place.key] = LogCopy(place, name, lambda: self._engine.patient)

    async def _finish_log(self, place: ContainerDir) -> None:
        copy = self._logs.pop(place.key, None)
        if copy is not None:
            await asyncio.to_thread(copy.finish, LOG_END_S)

    async def _listed(self) -> dict[Key, str]:
        """Return the state of every container with this node's label."""
        labels = {"label": f"{LABEL_NODE}={self._settings.node}"}
        rows: list[dict[str, Any]] = await self._engine.call(
            lambda: self._engine.client.api.containers(all=True, filters=labels)
        )
        return {
            Key(row["Labels"][LABEL_ALLOCATION], int(row["Labels"][LABEL_EPOCH])): row["State"]
            for row in rows
        }

    async def _listed_since(self, since: int) -> dict[Key, str]:
        """Return a listing asked for at `since` or later; shared by all who wait."""
        async with self._listing_lock:
            if self._listing_at < since:
                asked_at = SystemClock().now_ms()
                self._listing = await self._listed()
                self._listing_at = asked_at
            return self._listing

    async def _inspected(self, key: Key) -> dict[str, Any] | None:
        name = self._name(key)
        try:
            found: dict[str, Any] = await self._engine.call(
                lambda: self._engine.client.api.inspect_container(name)
            )
        except NotFound:
            return None
        return found

    async def _stop(self, key: Key, grace_s: int) -> None:
        name = self._name(key)
        try:
            await self._engine.call(
                lambda: self._engine.patient.api.stop(name, timeout=grace_s),
                grace_s + STOP_MARGIN_S,
            )
        except NotFound:
            return
        except APIError as error:
            raise RuntimeUnavailableError(str(error)) from error

    async def _delete(self, key: Key) -> None:
        name = self._name(key)
        try:
            await self._engine.call(
                lambda: self._engine.client.api.remove_container(name, v=True, force=True)
            )
        except NotFound:
            return
        except APIError as error:
            raise RuntimeUnavailableError(str(error)) from error

    def _name(self, key: Key) -> str:
        return container_name(self._settings.node, key)


def _refuse_if_stopped(place: ContainerDir) -> None:
    order = place.stop_order()
    if order is not None:
        raise StartError(order.cause, "stopped before it was started")
