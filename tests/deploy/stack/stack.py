"""An installation as a company makes it: a clean clone, `berth-server init`, `docker compose up -d`."""

import json
import os
import shutil
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Final

from docker.errors import ImageNotFound
from docker.models.containers import Container

from deploy.onebox.engine import EngineEndpoint
from deploy.onebox.options import REPOSITORY, find_free_port
from tests.waiting import wait_until

UP_S: Final = 1_800
"""Images are built with the first start."""
COMMAND_S: Final = 300
HEALTHY_S: Final = 300
FOREIGN: Final = ("DJANGO_", "BERTH_", "COMPOSE_")
WORK: Final = "berth.node"
"""The label of what an agent has started."""


@dataclass(frozen=True, slots=True)
class Service:
    """A container of compose's."""

    id: str
    state: str
    health: str
    """Empty where nothing asks for it."""
    exit_code: int
    restarts: int

    @classmethod
    def of(cls, container: Container) -> "Service":
        """Read what the engine knows of it."""
        state = container.attrs["State"]
        health = state.get("Health", {}).get("Status", "")
        restarts = container.attrs["RestartCount"]
        return cls(str(container.id), state["Status"], health, state["ExitCode"], restarts)


def is_well(service: Service) -> bool:
    """Return whether it does its work, or has done it."""
    if service.state == "exited":
        return service.exit_code == 0
    return (service.state, service.health) == ("running", "healthy")


@dataclass(frozen=True)
class Stack:
    """A clone that was started, and where it answers."""

    clone: Path
    data_dir: Path
    project: str
    engine: EngineEndpoint
    url: str
    apps_url: str

    @property
    def backups(self) -> Path:
        """The folder of backups, on the host."""
        return self.data_dir / "backups"

    @property
    def images(self) -> Mapping[str, str]:
        """Names of its own for what it builds: that of an earlier tree is not taken for this one's."""
        return {
            "BERTH_SERVER_IMAGE": f"{self.project}/server:1",
            "BERTH_AGENT_IMAGE": f"{self.project}/agent:1",
        }

    @property
    def environment(self) -> Mapping[str, str]:
        """What a person's shell would hold: which engine it is, and nothing about Berth."""
        kept = {key: value for key, value in os.environ.items() if not key.startswith(FOREIGN)}
        return {
            **kept,
            "DOCKER_HOST": self.engine.url,
            "DOCKER_BUILDKIT": "0",
            "COMPOSE_PROJECT_NAME": self.project,
            "BERTH_BACKUPS_DIR": str(self.backups),
            **self.images,
            "BERTH_DOCKER_SOCKET": self.engine.url.removeprefix("unix://"),
        }

    @cached_property
    def demo(self) -> Any:
        """The logins of the demo, as the pages say how to read them."""
        said = self.compose(
            *("run", "--rm", "--no-deps", "-T", "--entrypoint", "cat", "join", "/join/demo.json")
        )
        return json.loads(said)

    @property
    def password(self) -> str:
        """The password of every seeded person."""
        return str(self.demo["users"][0]["password"])

    def berth_server(self, *arguments: str, within_s: float = COMMAND_S) -> str:
        """Run the entry point; return what it said, fail with it if it fails."""
        return self._run(["./berth-server", *arguments], within_s)

    def try_berth_server(self, *arguments: str) -> str:
        """Run the entry point, which may refuse; return all that it said."""
        done = self._call(["./berth-server", *arguments], COMMAND_S)
        return done.stdout + done.stderr

    def compose(self, *arguments: str, within_s: float = COMMAND_S) -> str:
        """Run compose, whichever there is."""
        return self._run([*compose_program(), *arguments], within_s)

    def services(self) -> dict[str, Service]:
        """Return each container of the project, those that have ended too, by its name."""
        label = f"com.docker.compose.project={self.project}"
        with self.engine.client() as client:
            found = client.containers.list(all=True, filters={"label": label})
            return {str(each.name): Service.of(each) for each in found}

    def workers(self) -> set[str]:
        """Return the containers of work that run now."""
        with self.engine.client() as client:
            return {str(each.id) for each in client.containers.list(filters={"label": WORK})}

    def wait_well(self) -> None:
        """Wait until every service does its work; fail with those that do not."""

        def settled() -> bool:
            found = self.services().values()
            return all(map(is_well, found)) or any(each.health == "unhealthy" for each in found)

        wait_until(settled, within_s=HEALTHY_S, every_s=1)
        assert {name: each for name, each in self.services().items() if not is_well(each)} == {}

    def _run(self, command: Sequence[str], within_s: float) -> str:
        done = self._call(command, within_s)
        said = f"{' '.join(command)}\n{done.stdout[-8000:]}\n{done.stderr[-8000:]}"
        assert done.returncode == 0, said
        return done.stdout

    def _call(self, command: Sequence[str], within_s: float) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            command,
            cwd=self.clone,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=within_s,
            check=False,
        )


def compose_program() -> tuple[str, ...]:
    """Return the command of compose: v2 of Docker's client, else v1."""
    if shutil.which("docker-compose"):
        return ("docker-compose",)
    return ("docker", "compose")


def cloned(folder: Path, engine: EngineEndpoint, project: str, scheme: str = "https") -> Stack:
    """Clone what is committed, and choose ports that are free."""
    clone = folder / "berth"
    subprocess.run(["git", "clone", "-q", f"file://{REPOSITORY}", clone], check=True)
    ports = (find_free_port(), find_free_port())
    if scheme == "https":  # one proxy for both
        urls = (f"https://localhost:{ports[0]}", f"https://apps.localhost:{ports[0]}")
    else:
        urls = (f"http://127.0.0.1:{ports[0]}", f"http://localhost:{ports[1]}")
    stack = Stack(clone, folder / "data", project, engine, *urls)
    with engine.client() as client:
        for image in stack.images.values():
            with suppress(ImageNotFound):
                client.images.remove(image, force=True)
    return stack


def init(stack: Stack, *more: str) -> None:
    """Answer the questions of the first command."""
    stack.berth_server(
        *("init", "--yes", "--portal-url", stack.url, "--apps-url", stack.apps_url),
        *("--inference-url", f"http://127.0.0.1:{find_free_port()}"),
        *("--ssh-port", str(find_free_port())),
        *("--storage-dir", str(stack.data_dir / "storage")),
        *("--agent-state-dir", str(stack.data_dir / "agent")),
        *more,
    )


@contextmanager
def taken_down(stack: Stack) -> Iterator[None]:
    """Remove everything at the end, and the work that its agents have started; work of others on the engine stays."""
    with stack.engine.client() as client:
        others = {each.id for each in client.containers.list(all=True, filters={"label": WORK})}
    try:
        yield
    finally:
        stack.compose("down", "--volumes", "--timeout", "10", "--remove-orphans")
        with stack.engine.client() as client:
            for container in client.containers.list(all=True, filters={"label": WORK}):
                if container.id not in others:
                    container.remove(force=True)
