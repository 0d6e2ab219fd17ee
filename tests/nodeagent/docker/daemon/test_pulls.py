"""Images that cannot be had, each for its own reason, and those that take their time (F26)."""

import asyncio
import threading

import pytest

from nodeagent.core.state import ContainerKey
from nodeagent.docker.images.image_store import ImageStoreSettings
from nodeagent.ports import StartError
from tests.fakes import work
from tests.fakes.work import an_order, ignore_progress
from tests.nodeagent.docker.daemon.conftest import HASTY, FaultyNode, cause_and_code
from tests.nodeagent.docker.daemon.images import one_file_root, packed, with_file
from tests.nodeagent.docker.daemon.registry import Registry, Repository, random_image
from tests.tiny_image import programs_root
from tests.waiting import PATIENCE_S
from wire.words import ExitCause

pytestmark = pytest.mark.docker

KEY = ContainerKey("job.0", 1)
TRIES = HASTY.tries


async def refusal(
    node: FaultyNode, image: str, command: tuple[str, ...] = work.SLEEPS
) -> StartError:
    """Return what a start with this image ends with; nothing of it is left."""
    runtime = node.runtime()
    with pytest.raises(StartError) as caught:
        await runtime.start(an_order(command, image=image), ignore_progress)
    assert await runtime.list_containers() == ()
    assert node.ids() == set()
    return caught.value


async def test_f26_each_reason_has_its_own_code(node: FaultyNode, registry: Registry) -> None:
    nobody = "127.0.0.1:1/nobody:1"
    private = Repository(packed(b""), needs_login=True)
    foreign = Repository(packed(one_file_root(b"foreign"), machine="s390x"))
    corrupt = random_image()
    corrupt.is_corrupt = True
    expected = {
        registry.reference("missing"): "image_not_found",
        registry.serve("private", private): "image_no_access",
        registry.serve("foreign", foreign): "image_wrong_platform",
        registry.serve("corrupt", corrupt): "image_digest_mismatch",
        nobody: "registry_unreachable",
        "Not A Name": "image_name_invalid",
    }
    found = {image: cause_and_code(await refusal(node, image)) for image in expected}
    assert found == {image: (ExitCause.IMAGE_UNAVAILABLE, code) for image, code in expected.items()}
    assert corrupt.asked["layer"] == 1


async def test_f26_image_without_a_command_is_the_users_affair(
    node: FaultyNode, registry: Registry
) -> None:
    image = registry.serve("silent", Repository(packed(one_file_root(b"nothing to run"))))
    assert cause_and_code(await refusal(node, image, ())) == (ExitCause.START_FAILED, "no_command")


async def test_f26_only_what_may_pass_is_tried_again_and_not_for_ever(
    node: FaultyNode, registry: Registry
) -> None:
    passing, lasting, private = random_image(), random_image(), random_image()
    passing.busy, lasting.busy, private.needs_login = TRIES - 1, 99, True
    await node.runtime().images.ensure(registry.serve("passing", passing), lambda _: None)

    error = await refusal(node, registry.serve("lasting", lasting))
    assert cause_and_code(error) == (ExitCause.IMAGE_UNAVAILABLE, "registry_busy")
    # An engine may ask more than once in each try.
    asked = lasting.asked["manifest"]
    assert asked >= TRIES
    assert asked % TRIES == 0

    await refusal(node, registry.serve("locked", private))
    assert private.asked["manifest"] == asked // TRIES


async def test_f26_transfer_that_is_cut_again_and_again_is_given_up(
    node: FaultyNode, registry: Registry
) -> None:
    image = random_image()
    image.cuts = 99
    once = ImageStoreSettings(tries=1)
    with pytest.raises(StartError) as caught:
        await node.runtime(images=once).images.ensure(registry.serve("cut", image), lambda _: None)
    assert cause_and_code(caught.value) == (ExitCause.IMAGE_UNAVAILABLE, "registry_unreachable")


async def test_f26_image_larger_than_allowed_is_refused_while_it_comes(
    node: FaultyNode, registry: Registry
) -> None:
    image = random_image()
    image.half, image.rest = threading.Event(), threading.Event()
    small = ImageStoreSettings(bytes_max=100_000)
    with pytest.raises(StartError) as caught:
        await node.runtime(images=small).images.ensure(
            registry.serve("large", image), lambda _: None
        )
    assert cause_and_code(caught.value) == (ExitCause.IMAGE_UNAVAILABLE, "image_too_large")


async def test_f26_slow_pull_tells_how_far_it_is_and_holds_nothing_else_up(
    node: FaultyNode, registry: Registry
) -> None:
    # A root of its own: the engine fetches no layer that it has from another test.
    root = with_file(programs_root(), "slow", b"")
    image = Repository(packed(root), half=threading.Event(), rest=threading.Event())
    reference = registry.serve("slow", image).removesuffix(":1") + f"@{image.image.digest}"
    runtime, steps = node.runtime(), list[tuple[str, int | None]]()
    order = an_order(work.SLEEPS, image=reference)
    pulling = asyncio.create_task(
        runtime.start(order, lambda step, done=None: steps.append((step, done)))
    )
    async with asyncio.timeout(PATIENCE_S):
        while not any(step == "pulling" and 0 < (done or 0) < 100 for step, done in steps):
            assert not pulling.done()
            await asyncio.sleep(0.05)
    await runtime.start(an_order(work.SPEAKS_AND_EXITS_3, epoch=2), ignore_progress)
    assert (await runtime.wait_for_end(ContainerKey("job.0", 2))).exit_code == 3
    assert image.rest is not None
    image.rest.set()
    await pulling
    assert steps[-2:] == [("creating", None), ("starting", None)]
    told_pct = [done for step, done in steps if step == "pulling"]
    assert told_pct == sorted(told_pct, key=lambda done: done or 0)


async def test_f26_stop_does_not_wait_for_a_slow_registry(
    node: FaultyNode, registry: Registry
) -> None:
    image = random_image()
    image.half, image.rest = threading.Event(), threading.Event()
    runtime = node.runtime()
    starting = asyncio.create_task(
        runtime.start(an_order(work.SLEEPS, image=registry.serve("stuck", image)), ignore_progress)
    )
    await asyncio.to_thread(image.half.wait, PATIENCE_S)
    await runtime.stop(KEY, ExitCause.STOPPED, 0)
    async with asyncio.timeout(PATIENCE_S):
        with pytest.raises(StartError) as caught:
            await starting
    assert caught.value.cause is ExitCause.STOPPED


async def test_wanted_images_are_fetched_beforehand_and_kept(
    node: FaultyNode, registry: Registry
) -> None:
    wanted = [registry.serve(f"wanted-{number}", random_image()) for number in (1, 2)]
    images = node.runtime().images
    images.set_wanted((registry.reference("missing"), *wanted))
    await images.prefetch()
    with node.daemon.client() as client:
        assert {client.images.get(name).tags[0] for name in wanted} == set(wanted)
