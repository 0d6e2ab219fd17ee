"""Commits containers of this node and pushes them: the `ImageSaver` port of `app.image_saves`.

Two commits make one image. The first takes the container's files; engines before 26 keep its whole
configuration, with the notebook's token, in a field of that image. So a second container is made
of it, which never runs and has none of that, and is committed as what is pushed.
"""

import asyncio
from collections.abc import Callable, Mapping
from contextlib import suppress
from http import HTTPStatus
from pathlib import Path
from typing import Any, Final, TypeVar

from docker.errors import APIError, ImageNotFound, NotFound

from nodeagent.core.image_saves import ImageSaveError, SaveOrder, require_size
from nodeagent.core.state import ContainerKey
from nodeagent.docker.containers.node_containers import NodeContainers
from nodeagent.docker.engine.client import WORK_S
from nodeagent.docker.images.pull import MIB
from nodeagent.docker.saving.image_config import LABEL_SAVE, restored_config
from nodeagent.docker.saving.push import Push, to_save_error
from nodeagent.host.disk_space import read_disk_space
from nodeagent.host.threads import run_in_daemon_thread
from wire.images import RegistryLogin

T = TypeVar("T")

COMMIT_S: Final = 3600
"""For the files of one container."""
PUSH_S: Final = 4 * 3600
WATCH_S: Final = 0.5
"""Between two polls of how far a push is."""
LEFT_FREE_MIB: Final = 1024
"""What stays free on the disk with the images, or a tenth of a small one."""
ENDED: Final = "notebook_ended"
MISSING: Final = "not_found"


class DockerImageSaver:
    """Saves over one engine. Every call may be repeated without harm."""

    def __init__(self, containers: NodeContainers) -> None:
        self._engine = containers.engine
        self._containers = containers
        self._commits: dict[str, asyncio.Future[None]] = {}
        """Commits under way: the engine also finishes one that is not awaited any more."""

    async def find_committed(self, order: SaveOrder) -> int | None:
        """Return the size of the image that is ready to be pushed; None when there is none."""
        try:
            found = await self._call(lambda: self._api.inspect_image(order.reference))
        except ImageSaveError as error:
            if error.code == MISSING:
                return None
            raise
        return int(found["Size"])

    async def commit(self, order: SaveOrder) -> int:
        """Commit the files of a container, which continues meanwhile; return the size of the image."""
        found = await self._inspect(order.key)
        if found is None or not found["State"]["Running"]:
            raise ImageSaveError(ENDED)
        require_size(int(found.get("SizeRootFs") or 0), order.bytes_max)
        await self._require_space(int(found.get("SizeRw") or 0))
        await self.discard(order.save, order.reference)
        image = await self._call(lambda: self._api.inspect_image(found["Image"]))
        config = restored_config(found["Config"], image.get("Config") or {}, order.save, order.env)
        work = asyncio.ensure_future(self._commit_twice(order, found["Id"], config))
        self._commits[order.save] = work
        try:
            await asyncio.shield(work)
        except ImageSaveError as error:
            if error.code == MISSING:  # it was removed meanwhile
                raise ImageSaveError(ENDED) from error
            raise
        size = await self.find_committed(order)
        if size is None:
            raise ImageSaveError("engine_error", "the committed image is gone")
        require_size(size, order.bytes_max)
        return size

    async def push(
        self, order: SaveOrder, login: RegistryLogin, on_progress: Callable[[int, int], None]
    ) -> str:
        """Push the image, and return its digest."""
        push = Push(self._engine.client_for, order.reference, login)
        work = asyncio.ensure_future(self._call(push.run, PUSH_S))
        try:
            while not work.done():
                await asyncio.wait({work}, timeout=WATCH_S)
                on_progress(push.sent_bytes, push.total_bytes)
            return work.result()
        finally:
            work.cancel()
            await run_in_daemon_thread(push.cancel, "hang up")

    async def discard(self, save: str, reference: str) -> None:
        """Remove what a save has made on this node; not an image that work has pulled since."""
        if (commit := self._commits.pop(save, None)) is not None:
            await asyncio.wait({commit})
        await self._remove_container(_second_name(save))
        await self._remove_image(reference)
        labelled = {"label": f"{LABEL_SAVE}={save}"}
        for row in await self._call(lambda: self._api.images(filters=labelled, all=True)):
            await self._remove_image(str(row["Id"]))

    @property
    def _api(self) -> Any:
        return self._engine.slow_client.api

    async def _inspect(self, key: ContainerKey) -> dict[str, Any] | None:
        """Return the engine's description of a container, with the size of its files."""
        await self._containers.list_states()
        name = self._containers.engine_name(key)

        def look() -> dict[str, Any] | None:
            api = self._api
            url = f"{api.base_url}/v{api.api_version}/containers/{name}/json"
            answer = api.get(url, params={"size": "true"}, timeout=WORK_S)
            if answer.status_code == HTTPStatus.NOT_FOUND:
                return None
            if answer.status_code != HTTPStatus.OK:
                raise APIError(f"inspect: {answer.status_code}", answer)
            return dict(answer.json())

        return await self._call(look)

    async def _require_space(self, size_bytes: int) -> None:
        """Refuse what would fill the disk with the images, where this agent can see it."""
        folder = Path((await self._engine.read_info())["DockerRootDir"])
        try:
            space = await read_disk_space(folder)
        except OSError:  # includes `TimeoutError`
            return
        left_mib = space.free_mib - size_bytes // MIB
        if left_mib < min(LEFT_FREE_MIB, space.size_mib // 10):
            raise ImageSaveError(
                "disk_full", f"{space.free_mib} MiB free, {size_bytes} bytes needed"
            )

    async def _commit(
        self, container: str, config: Mapping[str, Any] | None = None, reference: str = ""
    ) -> str:
        """Commit a container as it is at this moment, and return the image's id."""
        name, _, tag = reference.rpartition(":")
        made = await self._call(
            lambda: self._engine.client_for(COMMIT_S).api.commit(
                container, name or None, tag or None, pause=False, conf=config
            ),
            COMMIT_S,
        )
        return str(made["Id"])

    async def _commit_twice(
        self, order: SaveOrder, container: str, config: Mapping[str, Any]
    ) -> None:
        """Commit a container, and then one of that image that never runs, as what is pushed."""
        files = await self._commit(container, config)
        second, labels = _second_name(order.save), {LABEL_SAVE: ""}
        try:
            await self._call(
                lambda: self._api.create_container(
                    files,
                    name=second,
                    labels=labels,
                    # The agent's user may have a proxy with a password in the Docker configuration.
                    use_config_proxy=False,
                    host_config=self._api.create_host_config(network_mode="none"),
                )
            )
            await self._commit(second, reference=order.reference)
        finally:
            await self._remove_container(second)

    async def _remove_image(self, name: str) -> None:
        with suppress(ImageSaveError):
            await self._call(lambda: self._api.remove_image(name))

    async def _remove_container(self, name: str) -> None:
        with suppress(ImageSaveError):
            await self._call(lambda: self._api.remove_container(name, v=True, force=True))

    async def _call(self, work: Callable[[], T], deadline_s: float = WORK_S) -> T:
        """Run a call of the SDK; raises `ImageSaveError`, or `RuntimeUnavailableError`."""
        try:
            return await self._engine.call_long(work, deadline_s)
        except (ImageNotFound, NotFound) as error:
            raise ImageSaveError(MISSING, str(error.explanation or error)) from error
        except APIError as error:
            raise to_save_error(str(error.explanation or error)) from error


def _second_name(save: str) -> str:
    """Return the name of the container that the second commit is made of."""
    return f"berth-save-{save}"
