"""Images of a real registry that asks for a login: pulled with the one that the portal gives for it."""

import json
from pathlib import Path
from typing import Final

import pytest

from nodeagent.docker.images.image_store import ImageStore
from nodeagent.ports import StartError
from tests.docker_registry import PASSWORD, DockerRegistry, Logins
from tests.fakes.work import SLEEPS, an_order, ignore_progress
from tests.nodeagent.docker.daemon.conftest import FaultyNode, cause_and_code
from tests.nodeagent.docker.daemon.images import packed, with_file
from tests.nodeagent.docker.daemon.registry import Registry, random_image
from tests.tiny_image import programs_root
from wire.words import ExitCause

pytestmark = pytest.mark.docker

OTHER: Final = "hub.example.org"


def push(hub: DockerRegistry, name: str) -> str:
    """Store an image that no engine has seen before, and return its reference."""
    hub.push(name, packed(with_file(programs_root(), "name", name.encode())))
    return f"{hub.host}/{name}:1"


def is_here(node: FaultyNode, reference: str) -> bool:
    with node.daemon.client() as client:
        return reference in {tag for image in client.images.list() for tag in image.tags}


def store_with(node: FaultyNode, logins: Logins) -> ImageStore:
    images = node.runtime().images
    images.use_logins(logins.fetch_registry_login)
    return images


async def test_an_image_is_fetched_ahead_with_the_login_of_its_registry(
    node: FaultyNode, hub: DockerRegistry
) -> None:
    reference, logins = push(hub, "team/ahead"), Logins(hub.host)
    images = store_with(node, logins)
    images.set_wanted((reference,), (hub.host,))
    await images.prefetch()
    assert is_here(node, reference)
    assert logins.asked == [hub.host]
    await images.ensure(reference, lambda _: None)
    assert logins.asked == [hub.host], "an image that is here needs none"


async def test_work_starts_from_an_image_behind_a_login_which_is_left_nowhere(
    node: FaultyNode, hub: DockerRegistry
) -> None:
    reference, runtime = push(hub, "team/work"), node.runtime()
    runtime.images.use_logins(Logins(hub.host).fetch_registry_login)
    runtime.prefetch_images((), (hub.host,))
    order = an_order(SLEEPS, image=reference)
    await runtime.start(order, ignore_progress)
    with node.daemon.client() as client:
        (name,) = node.ids()
        assert PASSWORD not in json.dumps(client.api.inspect_container(name))
    left = [path for path in files_of(node.root) if PASSWORD.encode() in path.read_bytes()]
    assert left == []


def files_of(root: Path) -> list[Path]:
    return [path for path in root.rglob("*") if path.is_file()]


async def test_without_or_with_a_wrong_login_the_registry_refuses(
    node: FaultyNode, hub: DockerRegistry
) -> None:
    reference = push(hub, "team/refused")
    for hosts, password in (((), PASSWORD), ((hub.host,), "wrong")):
        logins = Logins(hub.host, password)
        images = store_with(node, logins)
        images.set_wanted((), hosts)
        with pytest.raises(StartError) as caught:
            await images.ensure(reference, lambda _: None)
        assert cause_and_code(caught.value) == (ExitCause.IMAGE_UNAVAILABLE, "image_no_access")
        assert logins.asked == list(hosts)


async def test_a_login_goes_to_its_own_registry_only(
    node: FaultyNode, registry: Registry, hub: DockerRegistry
) -> None:
    logins = Logins(hub.host)
    images = store_with(node, logins)
    images.set_wanted((), (hub.host, OTHER))
    open_to_all = registry.serve("open-to-all", random_image())
    await images.ensure(open_to_all, lambda _: None)
    assert logins.asked == []
