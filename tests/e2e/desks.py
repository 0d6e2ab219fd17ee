"""Somebody's own machine: a shell that knows where the portal is, a token, an SSH key, and things on the platform."""

import asyncio
import os
import shlex
import subprocess
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from subprocess import DEVNULL
from typing import Any, Final

import asyncssh

from bench.visitor import signed_in_as
from portal.common import clock
from portal.common.actions import Action
from tests.e2e.pipeline import WAIT_S, Pipeline
from tests.launcher import Launched

EXAMPLE: Final = "http://127.0.0.1:8000"
"""Where `make run` serves its pages unless told otherwise, as the documents have it."""
SSH_HOST: Final = "portal.example.org"
JOB: Final = {"group": "vision", "image": "python", "gpus": 0, "cpu_milli": 100, "memory_mib": 64}
QUICK: Final = {"PAUSE_S": "0"}
"""The example training takes half a minute otherwise."""
HOME_FILES: Final = (
    "data/1.csv",
    "runs/a/1.log",
    "runs/b/1.log",
    "runs/model.pt",
    "faces/clean/1.png",
)
SSH_CONFIG: Final = """
Host *
  IdentityFile {folder}/key
  IdentitiesOnly yes
  UserKnownHostsFile {folder}/known
  StrictHostKeyChecking accept-new
  BatchMode yes
  LogLevel ERROR
"""
OUTPUTS: Final = "mkdir -p ck; echo weights > ck/latest.pt; echo '@metrics step=1 loss=0.5'"


@dataclass
class Desk:
    """A folder with what a person has there; commands run in it one after the other, as in one shell."""

    folder: Path
    url: str
    api: Pipeline
    ssh_port: int
    ids: dict[str, str] = field(default_factory=dict)
    env: dict[str, str] = field(default_factory=dict)

    def prepare(self, key: asyncssh.SSHKey) -> None:
        """Write the settings of curl and OpenSSH, which leave the commands as they are typed."""
        programs = self.folder / "bin"
        programs.mkdir(parents=True)
        key.write_private_key(self.folder / "key")
        (self.folder / "key").chmod(0o600)
        here, there = self.url.removeprefix("http://"), EXAMPLE.removeprefix("http://")
        rules = ["silent", "show-error", "fail-with-body"]
        rules += [f'connect-to = "{there}:{here}"', f'header = "Host: {here}"']
        (self.folder / ".curlrc").write_text("\n".join(rules))
        (self.folder / ".berth-token").write_text(self.api.token)
        self.configure_ssh("")
        # OpenSSH takes the first value that it is given of each option, so these stand before what is typed.
        ssh = f"ssh -F {self.folder}/config -o HostName=127.0.0.1 -o Port={self.ssh_port}"
        for name, command in (("ssh", ssh), ("scp", "scp -S"), ("sftp", "sftp -S")):
            own = f" {programs}/ssh" if name != "ssh" else ""
            program = programs / name
            program.write_text(f'#!/bin/sh\nPATH={os.defpath} exec {command}{own} "$@"\n')
            program.chmod(0o755)
        self.env = {
            "HOME": str(self.folder),
            "PATH": f"{programs}:{os.environ['PATH']}",
            "BERTH": self.url,
            "BERTH_TOKEN": self.api.token,
        }

    def configure_ssh(self, text: str) -> None:
        """Write the person's configuration of OpenSSH."""
        (self.folder / "config").write_text(text + SSH_CONFIG.format(folder=self.folder))

    @contextmanager
    def shell(self, name: str) -> Iterator[Path]:
        """A new shell in a folder of its own; what it has set is gone afterwards."""
        folder, env = self.folder / name, self.env
        folder.mkdir()
        self.env = {**env, **self.ids}
        try:
            yield folder
        finally:
            self.env = env

    def types(self, text: str, folder: Path, sent: str | None = None) -> str:
        """Run what somebody has typed, each command of which must succeed; return what it printed."""
        kept = self.folder / ".env"
        script = f"set -aeo pipefail\n{text}\nenv -0 > {shlex.quote(str(kept))}"
        done = subprocess.run(
            ["bash", "-c", script],
            env=self.env,
            cwd=folder,
            capture_output=True,
            text=True,
            check=False,
            timeout=WAIT_S,
            **({"stdin": DEVNULL} if sent is None else {"input": sent}),
        )
        assert done.returncode == 0, f"{text}\n{done.stdout}{done.stderr}"
        pairs = (line.split("=", 1) for line in kept.read_text().split("\0") if "=" in line)
        self.env = dict(pairs)
        return done.stdout

    def submits(self, path: str, /, **asked: Any) -> str:
        """Submit something that must be accepted, and return its id."""
        answer = self.api.call("POST", path, asked)
        assert answer.status < 400, answer
        return str(answer.body["id"])

    def ends(self, job: str) -> Any:
        """Return a job at its end, which must be a good one, with its log in the message otherwise."""
        done = self.api.wait(job)
        said = self.api.text(f"/jobs/{job}/logs?rank=0&offset=0")
        assert done["state"] == "succeeded", (done["state"], done["cause"], said)
        return done

    def clear(self) -> None:
        """Cancel what a page has left in the queue."""
        kept = {*self.ids.values()}
        rows = self.api.get("/jobs?owner=me&active=true&collapsed=true&page_size=100")["results"]
        for row in rows:
            if row["id"] not in kept:
                path = f"/job-arrays/{row['array']['id']}" if row["array"] else f"/jobs/{row['id']}"
                self.api.call("POST", f"{path}/cancel", {})


def token_of(platform: Launched, username: str) -> str:
    """Return a token with every scope of somebody with a login of the demo."""
    (person,) = [each for each in platform.demo["users"] if each["username"] == username]
    body = {"name": "laptop", "scopes": [each.value for each in Action], "expires_in_days": 1}

    async def issue() -> str:
        async with signed_in_as(platform.demo, person) as visitor:
            return str((await visitor.call("POST", "/api/v1/tokens", body))["token"])

    with ThreadPoolExecutor(1) as beside:  # the browser's own event loop runs in this thread
        return beside.submit(lambda: asyncio.run(issue())).result()


def a_desk(platform: Launched, username: str, folder: Path) -> Desk:
    """Return the desk of somebody with a home, a notebook that starts, and jobs."""
    api = Pipeline(platform.url, token_of(platform, username))
    port = int(api.get("/config")["ssh_port"])
    desk = Desk(folder, platform.url, api, port)
    key = asyncssh.generate_private_key("ssh-ed25519")
    desk.prepare(key)
    line = key.export_public_key().decode()
    assert api.call("POST", "/ssh-keys", {"name": "laptop", "public_key": line}).status == 201
    home = api.call("POST", "/volumes/home").body["id"]
    desk.ids |= {"VOLUME": home, "PIPELINE_ID": username, "MONTH": clock.now().strftime("%Y-%m")}
    desk.ids["GROUP"] = api.get("/me")["memberships"][0]["group"]["id"]
    notebook = {"image": "jupyter-python", "env": QUICK, "ports": [6006], "datasets": ["example"]}
    desk.ids["NOTEBOOK"] = desk.submits(
        "/environments", **{**JOB, **notebook, "name": "lab", "gpus": 0, "memory_mib": 1024}
    )
    desk.ids["JOB"] = desk.submits("/jobs", **JOB, name="night", script=OUTPUTS)
    desk.ids["BUILD"] = desk.submits("/jobs", **JOB, name="build", script="sleep 3000")
    settings = {**JOB, "script": "true"}
    del settings["group"]
    desk.ids["TEMPLATE"] = desk.submits("/job-templates", name="usual", settings=settings)
    desk.submits("/secrets", name="hub-token", value="secret")
    _fill_home(desk)
    return desk


def _fill_home(desk: Desk) -> None:
    with desk.shell("home") as folder:
        for name in HOME_FILES:
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(name)
        training = Path(__file__).parents[2] / "deploy/onebox/example_training.py"
        (folder / "train.py").write_bytes(training.read_bytes())
        archive = f"{desk.url}/api/v1/volumes/{desk.ids['VOLUME']}/archive"
        bearer = '-H "Authorization: Bearer $BERTH_TOKEN"'
        desk.types(f'tar -cf - * | curl {bearer} -T - "{archive}"', folder)


def filled(text: str, ids: Mapping[str, str]) -> str:
    """Return a text with the ids of a desk for their names."""
    for name, value in ids.items():
        text = text.replace(f"${name}", value)
    return text
