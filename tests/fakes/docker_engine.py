"""An engine on paper: Docker's HTTP API on a socket, with containers that are rows of a table.

It answers as slowly, as wrongly or as seldom as a test wants: `before` is called with the name of each
request before its answer, in the thread that answers, and may raise `RefusalError`, or hang up with
`ConnectionAbortedError`.
"""

import base64
import json
import re
import socketserver
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any, Final
from urllib.parse import parse_qs, urlsplit

from typing_extensions import override

ROUTES: Final = (
    ("version", r"GET .*/version"),
    ("ping", r"(?:GET|HEAD) .*/_ping"),
    ("info", r"GET .*/info"),
    ("list", r"GET .*/containers/json"),
    ("inspect", r"GET .*/containers/([^/]+)/json"),
    ("logs", r"GET .*/containers/([^/]+)/logs"),
    ("stats", r"GET .*/containers/([^/]+)/stats"),
    ("ask", r"POST .*/containers/([^/]+)/exec"),
    ("answer", r"POST .*/exec/([^/]+)/start"),
    ("asked", r"GET .*/exec/([^/]+)/json"),
    ("create", r"POST .*/containers/create"),
    ("start", r"POST .*/containers/([^/]+)/start"),
    ("stop", r"POST .*/containers/([^/]+)/stop"),
    ("kill", r"POST .*/containers/([^/]+)/kill"),
    ("remove", r"DELETE .*/containers/([^/]+)"),
    ("pull", r"POST .*/images/create"),
    ("commit", r"POST .*/commit"),
    ("push", r"POST .*/images/(.+)/push"),
    ("images", r"GET .*/images/json"),
    ("image", r"GET .*/images/(.+)/json"),
    ("untag", r"DELETE .*/images/(.+)"),
    ("network", r"GET .*/networks/(.+)"),
    ("leave", r"DELETE .*/networks/(.+)"),
    ("events", r"GET .*/events"),
)
NAMES: Final = tuple((name, re.compile(pattern)) for name, pattern in ROUTES)
SET: Final = "2026-01-31T12:00:00.5Z"
UNSET: Final = "0001-01-01T00:00:00Z"


class RefusalError(Exception):
    """What is asked is answered with an error of the engine's own."""


@dataclass
class FakeDockerEngine:
    """The table, and what goes wrong."""

    url: str
    folder: str = "/nowhere"
    """Where its images are."""
    rows: dict[str, dict[str, Any]] = field(default_factory=dict)
    """Containers by id."""
    images: set[str] = field(default_factory=lambda: {"berth/contract:1"})
    made: dict[str, dict[str, Any]] = field(default_factory=dict)
    """Images that were committed, by id."""
    pushed: dict[str, tuple[dict[str, Any], Any]] = field(default_factory=dict)
    """What a registry was sent, by reference, and the login."""
    push_lines: list[dict[str, Any]] = field(default_factory=list)
    """What a push reports."""
    said: bytes = b""
    """What every program says that is run in a container."""
    is_stuck: bool = False
    """Whether it goes on after that for ever."""
    before: Callable[[str], None] = lambda _: None
    after: Callable[[str], None] = lambda _: None
    """Called when the answer is made, and before it is sent."""
    asked: list[str] = field(default_factory=list)

    def row(self, name: str) -> dict[str, Any]:
        """Return a container by its name or id."""
        found = [item for item in self.rows.values() if name in (item["Id"], item["Name"])]
        if not found:
            raise LookupError(name)
        return found[0]

    def finish(self, name: str, code: int) -> None:
        """End a container."""
        row = self.row(name)
        row["State"] |= {"Status": "exited", "ExitCode": code, "FinishedAt": SET, "Pid": 0}

    def answer(self, name: str, words: tuple[str, ...], asked: dict[str, Any]) -> Any:
        """Do what is asked, and return what is said about it."""
        self.asked.append(name)
        self.before(name)
        act = ACTS.get(name)
        said = {} if act is None else act(self, *words, asked=asked)
        self.after(name)
        return said

    def _version(self, **_: Any) -> Any:
        return {"ApiVersion": "1.41", "Os": "linux", "Arch": "amd64", "Components": []}

    def _info(self, **_: Any) -> Any:
        return {"DockerRootDir": self.folder}

    def _list(self, **_: Any) -> Any:
        return [_line(item) for item in self.rows.values()]

    def _inspect(self, name: str, **_: Any) -> Any:
        return self.row(name)

    def _logs(self, _name: str, **_: Any) -> bytes:
        return b""

    def _stats(self, _name: str, **_: Any) -> Any:
        return {"cpu_stats": {"cpu_usage": {"total_usage": 0}}, "memory_stats": {}}

    def _ask(self, _name: str, **_: Any) -> Any:
        return {"Id": "exec"}

    def _asked(self, _name: str, **_: Any) -> Any:
        return {"Running": self.is_stuck, "ExitCode": None if self.is_stuck else 0}

    def _start(self, name: str, **_: Any) -> None:
        self.row(name)["State"] |= {"Status": "running", "StartedAt": SET}

    def _stop(self, name: str, **_: Any) -> None:
        self.finish(name, 143)

    def _kill(self, name: str, **_: Any) -> None:
        self.finish(name, 137)

    def _remove(self, name: str, **_: Any) -> None:
        del self.rows[self.row(name)["Id"]]

    def _pull(self, *, asked: dict[str, Any]) -> None:
        self.images.add(f"{asked['fromImage']}:{asked['tag']}")

    def _commit(self, *, asked: dict[str, Any]) -> Any:
        """Keep an image of a container as engines do: what is given goes before its own, name by name."""
        own = self.row(asked["container"])["Config"]
        identity = f"sha256:{len(self.made) + 1:064x}"
        tag = f"{asked['repo']}:{asked['tag']}" if asked.get("repo") else ""
        self.made[identity] = {
            "Id": identity,
            "RepoTags": [tag] if tag else [],
            "Size": 4096,
            "Config": _merged({name: asked.get(name) for name in COMMITTED}, own),
            "ContainerConfig": own,  # as engines before 26
            "Pause": asked.get("pause", "true"),
        }
        return {"Id": identity}

    def _push(self, name: str, *, asked: dict[str, Any]) -> bytes:
        reference = f"{name}:{asked['tag']}"
        self.pushed[reference] = (self._find_made(reference), asked.get("login"))
        return b"".join(json.dumps(line).encode() + b"\r\n" for line in self.push_lines)

    def _images(self, *, asked: dict[str, Any]) -> Any:
        (wanted,) = json.loads(asked["filters"])["label"]
        label, _, value = wanted.partition("=")
        return [item for item in self.made.values() if item["Config"]["Labels"].get(label) == value]

    def _find_made(self, name: str) -> dict[str, Any]:
        for item in self.made.values():
            if name in (item["Id"], *item["RepoTags"]):
                return item
        raise LookupError(name)

    def _image(self, name: str, **_: Any) -> Any:
        if name not in self.images:
            return self._find_made(name)
        return {"Id": f"sha256:{name}", "Os": "linux", "Architecture": "amd64"}

    def _untag(self, name: str, **_: Any) -> None:
        self.images.discard(name)
        for item in [
            item for item in self.made.values() if name in (item["Id"], *item["RepoTags"])
        ]:
            del self.made[item["Id"]]

    def _network(self, name: str, **_: Any) -> Any:
        return {"Id": "0" * 64, "Name": name, "Driver": "bridge", "Options": {}}

    def _leave(self, name: str, **_: Any) -> None:
        raise LookupError(name)

    def _events(self, **_: Any) -> bytes:
        return b""  # it breaks off at once: who waits looks by himself

    def _create(self, *, asked: dict[str, Any]) -> Any:
        return {"Id": self._created(asked), "Warnings": []}

    def _created(self, asked: dict[str, Any]) -> str:
        identity = f"{len(self.rows) + 1:064x}"
        parent = self.made.get(asked.get("Image", ""))
        config = {"Labels": asked["Labels"], "Env": asked.get("Env") or [], "Tty": False}
        self.rows[identity] = {
            "Id": identity,
            "Name": asked["name"],
            "Config": _merged(config, parent["Config"]) if parent else config,
            "State": {"Status": "created", "StartedAt": UNSET, "FinishedAt": UNSET, "ExitCode": 0},
            "NetworkSettings": {"Ports": {}},
        }
        return identity


ACTS: Final[dict[str, Callable[..., Any]]] = {
    name: act for name, _ in ROUTES if (act := getattr(FakeDockerEngine, f"_{name}", None))
}


COMMITTED: Final = ("Env", "Labels", "User", "WorkingDir", "Entrypoint", "Cmd")


def _merged(given: dict[str, Any], own: dict[str, Any]) -> dict[str, Any]:
    """Return a configuration in which what is given goes before what is there (Docker: `merge`)."""
    lines = list(given.get("Env") or [])
    names = {line.partition("=")[0] for line in lines}
    lines += [line for line in own.get("Env") or [] if line.partition("=")[0] not in names]
    labels = {**(own.get("Labels") or {}), **(given.get("Labels") or {})}
    more = {name: given.get(name) or own.get(name) for name in COMMITTED[2:]}
    return {**own, **more, "Env": lines, "Labels": labels}


def _line(item: dict[str, Any]) -> dict[str, Any]:
    """Return a container as it stands in a list."""
    status = item["State"]["Status"]
    image = f"sha256:{item['Name']}"
    return {"Id": item["Id"], "Labels": item["Config"]["Labels"], "State": status, "ImageID": image}


@contextmanager
def fake_docker_engine(root: Path) -> Iterator[FakeDockerEngine]:
    """Let an engine with its images below `root` answer for the length of a block."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "docker.sock"
        engine = FakeDockerEngine(f"unix://{path}", str(root))
        with _Server(str(path), engine) as server:
            threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
            try:
                yield engine
            finally:
                server.shutdown()


class _Server(socketserver.ThreadingUnixStreamServer):
    daemon_threads = True
    block_on_close = False
    request_queue_size = 128  # as Docker's: a full queue refuses, as if nobody listened

    def __init__(self, path: str, engine: FakeDockerEngine) -> None:
        super().__init__(path, _Handler)
        self.engine = engine


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    @property
    def engine(self) -> FakeDockerEngine:
        assert isinstance(self.server, _Server)
        return self.server.engine

    def _serve(self) -> None:
        length = int(self.headers.get("Content-Length") or 0)
        asked = json.loads(self.rfile.read(length) or b"{}") if length else {}
        parts = urlsplit(self.path)
        asked |= {key: value[0] for key, value in parse_qs(parts.query).items()}
        if login := self.headers.get("X-Registry-Auth"):
            asked["login"] = json.loads(base64.urlsafe_b64decode(login))
        line = f"{self.command} {parts.path}"
        name, found = next(
            (name, found) for name, pattern in NAMES if (found := pattern.fullmatch(line))
        )
        self.close_connection = False
        if name == "answer":
            self.engine.asked.append(name)
            self._let_speak()
            return
        with suppress(BrokenPipeError), self._hanging_up():  # who asked may have gone
            try:
                self._say(200, self.engine.answer(name, found.groups(), asked))
            except LookupError as error:
                self._say(404, {"message": f"No such thing: {error}"})
            except RefusalError as error:
                self._say(500, {"message": str(error)})

    do_GET = do_POST = do_DELETE = do_HEAD = _serve  # noqa: N815  as the library calls them

    def _say(self, status: int, answer: Any) -> None:
        body = (
            answer
            if isinstance(answer, bytes)
            else json.dumps({} if answer is None else answer).encode()
        )
        body = b"" if self.command == "HEAD" else body
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def _let_speak(self) -> None:
        """Be the connection of a program in a container, until it ends or is left."""
        self.close_connection = True
        head = b"HTTP/1.1 101 UPGRADED\r\nUpgrade: tcp\r\n\r\n"
        piece = b"\1\0\0\0" + len(self.engine.said).to_bytes(4, "big") + self.engine.said
        with suppress(OSError):
            self.wfile.write(head + piece)
            while self.engine.is_stuck and self.rfile.read(1):
                pass

    @contextmanager
    def _hanging_up(self) -> Iterator[None]:
        try:
            yield
        except ConnectionAbortedError:
            self.close_connection = True

    @override
    def log_message(self, format: str, *args: object) -> None:
        pass
