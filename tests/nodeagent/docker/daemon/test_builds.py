"""Images built from what users write, on a real engine: what comes out, what fails, what is stopped."""

import asyncio
from contextlib import suppress
from typing import Final
from uuid import uuid1

import pytest

from nodeagent.app.image_saves import ImageSaves
from nodeagent.core.image_saves import SaveOrder
from nodeagent.core.state import ContainerKey, Finished
from nodeagent.disk.begun_saves import BegunSavesFile
from nodeagent.disk.build_files import BuildFiles
from nodeagent.docker.runtime import DockerRuntime
from nodeagent.ports import ContainerOrder
from portal.images.build_scripts import plan_requirements, write_script
from portal.images.dockerfiles import Dockerfile, parse_dockerfile
from tests.docker_registry import DockerRegistry, Logins
from tests.fakes.work import an_order, ignore_progress
from tests.nodeagent.docker.daemon.conftest import FaultyNode
from tests.nodeagent.docker.daemon.daemon import Daemon
from tests.nodeagent.docker.daemon.images import with_file, with_open_folder
from tests.nodeagent.docker.daemon.python_root import HOME, a_wheel, with_python
from tests.tiny_image import PROGRAMS, programs_root
from tests.waiting import PATIENCE_S, wait_until_async
from wire.words import ExitCause, SavePhase

pytestmark = pytest.mark.docker

BASE: Final = "berth/base:1"
WHEEL: Final = "wheels/greeting-1.0-py3-none-any.whl"
PROGRAMS_OF_BASE: Final = (*PROGRAMS, "mkdir", "rm", "chown", "chmod", "mount", "mknod")
GIB: Final = 1024**3


@pytest.fixture(scope="module", autouse=True)
def base(daemon: Daemon) -> None:
    root = with_open_folder(with_python(programs_root(PROGRAMS_OF_BASE)), "tmp")
    name, _, tag = BASE.partition(":")
    with daemon.client() as client:
        client.api.import_image_from_data(
            with_file(root, WHEEL, a_wheel("greeting", "HELLO = 'hello from the package'\n")),
            repository=name,
            tag=tag,
            changes=[f"ENV PATH=/{HOME}/bin:/bin KEPT=yes"],
        )


class Building:
    """A build on a node, and the node's saves as the portal orders them."""

    def __init__(self, node: FaultyNode, hub: DockerRegistry, plan: Dockerfile) -> None:
        self.node, self.hub, self.plan = node, hub, plan
        self.runtime: DockerRuntime = node.runtime()
        self.save = str(uuid1())
        self.started = an_order(
            (), image=BASE, script=write_script(plan, "li/made"), builds_image=True, memory_mib=512
        )
        self.saves = ImageSaves(
            self.runtime.image_saver,
            Logins(hub.host),
            BegunSavesFile(node.root / "saves.json"),
            BuildFiles(node.root / "containers"),
            pause_s=0.1,
        )

    @property
    def key(self) -> ContainerKey:
        return self.started.key

    def order(self, verdict: str = "", bytes_max: int = GIB) -> SaveOrder:
        reference = f"{self.hub.host}/berth/{self.save}:saved"
        env = self.plan.env
        return SaveOrder(
            self.save, self.key, reference, bytes_max, is_build=True, env=env, verdict=verdict
        )

    async def start(self) -> None:
        await self.runtime.start(self.started, ignore_progress)

    async def log(self) -> str:
        return (await self.runtime.read_log(self.key, 0, 100_000)).decode()

    async def saved(self, order: SaveOrder) -> str:
        """Carry out its save, tell it the verdict, and return the digest, or why it failed."""
        self.saves.connect(lambda _: True, lambda: None)
        task = asyncio.create_task(self.saves.run())
        self.saves.set_orders((order,))
        try:
            await wait_until_async(
                lambda: self.saves.reports()[self.save].phase.has_ended, within_s=4 * PATIENCE_S
            )
            done = self.saves.reports()[self.save]
            is_saved = done.phase is SavePhase.SAVED
            verdict = "saved" if is_saved else done.detail.partition(":")[0]
            self.saves.set_orders((self.order(verdict),))
            self.end: Finished = await self.runtime.wait_for_end(self.key)
            return done.digest if is_saved else verdict
        finally:
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task

    async def run_made(self, digest: str, *command: str) -> str:
        """Run a command from the built image as other work does, and return what it says."""
        image = f"{self.hub.host}/berth/{self.save}@{digest}"
        order = an_order(command, epoch=2, image=image)
        login = Logins(self.hub.host).login
        pulled = ContainerOrder(order.key, order.devices, order.spec, registry_login=login)
        await self.runtime.start(pulled, ignore_progress)
        assert (await self.runtime.wait_for_end(order.key)).exit_code == 0
        return (await self.runtime.read_log(order.key, 0, 10_000)).decode()


async def test_requirements_are_installed_and_work_starts_from_the_image(
    node: FaultyNode, hub: DockerRegistry
) -> None:
    text = f"--no-index\n/{WHEEL}  # it's mine\n"
    one = Building(node, hub, plan_requirements("base", text, ()))
    await one.start()
    digest = await one.saved(one.order())
    log = await one.log()
    assert one.end.exit_code == 0, log
    assert "Successfully installed greeting-1.0" in log
    assert log.endswith("The image is saved: li/made\n")
    said = await one.run_made(digest, "python3", "-c", "import greeting; print(greeting.HELLO)")
    assert said == "hello from the package\n"


async def test_a_dockerfile_makes_files_and_variables(
    node: FaultyNode, hub: DockerRegistry
) -> None:
    text = """
    # syntax=docker/dockerfile:1
    FROM base AS final
    ARG WHERE=/opt/tool
    ENV PATH="$WHERE/bin:${PATH}" \\
        # what follows belongs to the same line
        PRICE='5$'
    ENV BOTH="${KEPT} and $PRICE"
    WORKDIR ${WHERE}/bin
    RUN ["/bin/sh", "-c", "echo '#!/bin/sh\\necho $BOTH' > says; chmod 755 says"]
    RUN chown 7:7 says && echo "in $PWD as $BOTH"
    USER nobody
    """
    one = Building(node, hub, parse_dockerfile(text))
    await one.start()
    digest = await one.saved(one.order())
    lines = (await one.log()).splitlines()
    assert one.end.exit_code == 0, lines
    assert "in /opt/tool/bin as yes and 5$" in lines
    assert "Step 8/8: USER nobody (has no effect here)" in lines
    assert await one.run_made(digest, "says") == "yes and 5$\n"


async def test_a_step_that_fails_ends_the_job_and_its_log_says_why(
    node: FaultyNode, hub: DockerRegistry
) -> None:
    one = Building(
        node, hub, parse_dockerfile("FROM base\nRUN echo no >&2; exit 7\nRUN echo later")
    )
    await one.start()
    end = await one.runtime.wait_for_end(one.key)
    assert (end.cause, end.exit_code) == (ExitCause.EXITED, 7)
    log = await one.log()
    assert "no\nThis step failed with exit code 7. No image is made.\n" in log
    assert "later" not in log


async def test_a_build_that_is_stopped_ends_at_once_and_leaves_nothing(
    node: FaultyNode, hub: DockerRegistry
) -> None:
    one = Building(node, hub, parse_dockerfile("FROM base\nRUN echo begun; sleep 1000"))
    await one.start()

    async def has_begun() -> bool:
        return "begun\n" in (await one.log()).replace("echo begun", "")

    await wait_until_async(has_begun)
    await one.runtime.stop(one.key, ExitCause.STOPPED, 60_000)
    end = await one.runtime.wait_for_end(one.key)
    assert end.cause is ExitCause.STOPPED
    assert one.hub.manifest(f"berth/{one.save}", "saved") is None


async def test_an_image_that_is_too_large_fails_the_job_with_its_code(
    node: FaultyNode, hub: DockerRegistry
) -> None:
    one = Building(node, hub, parse_dockerfile("FROM base\nRUN true"))
    await one.start()
    assert await one.saved(one.order(bytes_max=1000)) == "image_too_large"
    assert one.end.exit_code == 1
    assert "The image was not saved: image_too_large\n" in await one.log()


async def test_root_of_a_build_can_neither_write_to_the_host_nor_answer_itself(
    node: FaultyNode, hub: DockerRegistry
) -> None:
    attempts = (
        "echo x > /outputs/x",
        'echo saved > "$BERTH_BUILD_VERDICT_FILE"',
        "echo x >> /berth/script",
        "mount -t tmpfs none /tmp",
        "mknod /tmp/disk b 8 0",
        "ls /var/run/docker.sock",
    )
    steps = "\n".join(f"RUN if {attempt}; then exit 9; fi" for attempt in attempts)
    one = Building(node, hub, parse_dockerfile(f"FROM base\n{steps}\nRUN exit 3"))
    await one.start()
    end = await one.runtime.wait_for_end(one.key)
    assert end.exit_code == 3, await one.log()
