"""Every command of `docs/users` and of the front page, typed as somebody does who reads them, in both languages."""

import ast
import json
import os
import re
import signal
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import pytest

from deploy.onebox.options import find_free_port
from portal.demo import organisation
from portal.images.dockerfiles import parse_dockerfile
from tests.architecture.sources import ROOT
from tests.e2e.desks import JOB, QUICK, SSH_HOST, Desk, a_desk, filled, token_of
from tests.e2e.pipeline import Pipeline
from tests.launcher import Launched, running
from tests.user_pages import (
    ENDINGS,
    STEMS,
    Block,
    blocks_of,
    path_of,
    requests_named_in,
    requests_of,
)
from tests.waiting import wait_until

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(600)]

PEOPLE: Final = dict(zip(ENDINGS, organisation.TEAMS[0].people, strict=False))
"""Who reads which language; each has a desk, as most things can be done once only."""
NEIGHBOURS: Final = organisation.TEAMS[0].people[2:4]
FILES: Final = {
    "access": ("model.pt",),
    "browsing-files": ("a.txt", "runs/1.log", "runs/2.log"),
}
"""What lies in the folder of the person who reads a page."""
PAGES: Final = [stem for stem in STEMS if blocks_of(path_of(stem, "en"))]


@dataclass(frozen=True, slots=True)
class Unrun:
    """A block that cannot do here what it says, and why."""

    page: str
    part: str
    """Text that only this block of its page has."""
    why: str
    code: str = ""
    """The refusal that it gets instead; without one only its syntax is checked."""


FRONT: Final = "front page"
UNRUN: Final = (
    Unrun(FRONT, "make run", "the launcher that it starts has started the platform of this test"),
    Unrun(FRONT, "whatif run", "takes minutes; tests/scheduler/whatif runs shorter stories"),
    Unrun("distributed-training", "import torch", "PyTorch is in no environment of this machine"),
    Unrun("distributed-training", "import ray", "Ray is in no environment of this machine"),
    Unrun("distributed-training", "import Client", "Dask is in no environment of this machine"),
    Unrun("jupyterlab", "papermill", "papermill is in no environment of this machine"),
    Unrun("files", '"store": "lab"', "the demo has no object store", "not_found"),
)
REFUSED: Final = {
    "POST /api/v1/environments/$NOTEBOOK/image-save": "save_needs_registry",
    "POST /api/v1/jobs": "unknown_image",
    "PATCH /api/v1/saved-images/$IMAGE": "not_found",
    "POST /api/v1/image-builds": "build_needs_registry",
}
"""Requests of the page on saved images, all of which need a registry, and what they get without one: refusals
that come only after the body was found sound."""


AROUND: Final = {"gb18030": (r"touch $'\xd6\xd0.txt'", "test -e \u4e2d.txt")}
"""What is made before a block is typed in a notebook, and what must hold afterwards."""


@pytest.fixture(scope="module")
def own_platform() -> Iterator[Launched]:
    with running("documents", "--runtime", "process", "--nodes", "2") as launched:
        yield launched


@pytest.fixture(scope="module")
def desks(own_platform: Launched) -> Iterator[dict[str, Desk]]:
    """A desk for each language, whose notebooks run and are shared with each other."""
    admin = Pipeline(own_platform.url, token_of(own_platform, organisation.ADMIN))
    _equip(admin)
    with tempfile.TemporaryDirectory(prefix="desk-") as folder:
        made = {
            language: a_desk(own_platform, name, Path(folder) / name)
            for language, name in PEOPLE.items()
        }
        _share_among(admin, list(made.values()))
        yield made


def _equip(admin: Pipeline) -> None:
    """Add what the pages name: a second head of the group, an image, a pool of shares, a volume."""
    second = admin.get(f"/users?search={PEOPLE['zh-CN']}")["results"][0]
    head, group = second["id"], second["memberships"][0]["group"]["id"]
    titles = {"title_en": "Of the pages", "title_zh": "Of the pages"}
    limits = {"default_time_limit_s": 3600, "time_limit_s_max": 7200}
    _done(admin, "PATCH", f"/groups/{group}/members/{head}", role="group_admin")
    _done(admin, "POST", "/images", name="torch", reference="torch:1", for_training=True, **titles)
    kind = {"name": "tuning", "purpose": "training", "mode": "shared"}
    pool = _done(admin, "POST", "/pools", **kind, **titles, **limits)["id"]
    policy = admin.get(f"/pools/{pool}/policy")
    grown = {**policy["policy"], "burst_pct": 200, "version": policy["version"]}
    _done(admin, "PUT", f"/pools/{pool}/policy", **grown)
    _done(admin, "POST", "/volumes", group=group, name="papers", quota_mib=100)


def _share_among(admin: Pipeline, desks: list[Desk]) -> None:
    first, group = desks[0], desks[0].ids["GROUP"]
    first.submits("/secrets", name="team-key", value="secret", group=group)
    folder = {"volume": first.ids["VOLUME"], "path": "faces/clean"}
    publication = first.submits("/dataset-publications", dataset="faces", group=group, **folder)
    wait_until(lambda: _sets(first), every_s=1)
    for desk in desks:
        desk.ids |= {"PUBLICATION": publication, "DATASET": _sets(first)[0]}
        desk.ends(desk.ids["JOB"])
        desk.api.get(f"/environments/{desk.ids['NOTEBOOK']}/wait?timeout=120&state=running")
        desk.ids["APP"] = desk.submits("/app-sessions", app="tensorboard", job=desk.ids["JOB"])
    for desk, other, name in zip(desks, reversed(desks), PEOPLE.values(), strict=True):
        shares = f"/environments/{other.ids['NOTEBOOK']}/shares"
        desk.ids["SHARED"] = other.submits(shares, person=_user(admin, name))
        own = f"/environments/{desk.ids['NOTEBOOK']}/shares"
        desk.ids["SHARE"] = desk.submits(own, person=_user(admin, NEIGHBOURS[0]))
        desk.ids["PERSON"] = _user(admin, NEIGHBOURS[1])
        desk.ids["IMAGE"] = desk.ids["JOB"]  # there is none
        desk.ids["PORT"] = str(find_free_port())
        desk.ids["POOL"] = desk.api.get("/pools")["results"][0]["id"]
        desk.ids["ARRAY"] = desk.submits("/job-arrays", **JOB, name="a", script="true", array="0-1")
        desk.api.get(f"/app-sessions/{desk.ids['APP']}/wait?timeout=120&state=running")


def _sets(desk: Desk) -> list[str]:
    """Return the ids of the data sets that a folder was published as."""
    return [each["id"] for each in desk.api.get("/datasets")["results"] if each["name"] == "faces"]


def _user(admin: Pipeline, name: str) -> str:
    return str(admin.get(f"/users?search={name}")["results"][0]["id"])


def _done(api: Pipeline, method: str, path: str, /, **body: Any) -> Any:
    answer = api.call(method, path, body)
    assert answer.status < 400, answer
    return answer.body


def test_what_cannot_run_here_is_there_once() -> None:
    """A block that goes, or that can run, goes from the list, too."""
    for language in ENDINGS:
        for each in UNRUN:
            blocks = _blocks(each.page, language)
            assert [_is_meant(each, each.page, block) for block in blocks].count(True) == 1, each
        blocks = blocks_of(path_of("saved-images", language))
        asked = [request for block in blocks for request in requests_of(block)]
        assert REFUSED.keys() <= {f"{method} {address}" for method, address, _ in asked}


@pytest.mark.parametrize("language", ENDINGS)
@pytest.mark.parametrize("page", [FRONT, *PAGES])
def test_what_a_page_says_works_as_it_is_typed(
    own_platform: Launched, desks: dict[str, Desk], page: str, language: str
) -> None:
    desk = desks[language]
    with desk.shell(page) as folder:
        (folder / "var").symlink_to(own_platform.data_dir)
        for name in FILES.get(page, ()):
            (folder / name).parent.mkdir(exist_ok=True)
            (folder / name).write_text(name)
        try:
            reader = Reader(desk, page, folder)
            for block in _blocks(page, language):
                reader.follow(block)
        finally:
            desk.clear()


@pytest.mark.parametrize("language", ENDINGS)
def test_what_pages_name_can_be_read(desks: dict[str, Desk], language: str) -> None:
    desk = desks[language]
    for page in STEMS:
        with desk.shell(f"{page}-named") as folder:
            Reader(desk, page, folder).get_what_is_named(language)


class Reader:
    """Somebody who does what a page says, block by block."""

    def __init__(self, desk: Desk, page: str, folder: Path) -> None:
        self.desk = desk
        self.page = page
        self.folder = folder
        self.printed = ""
        self.ways = {
            "sh": self._type,
            "sh in the notebook": self._type_in_notebook,
            "sh until stopped": self._type_until_stopped,
            "sh as a job": self._run_script,
            "python as a job": self._run_program,
            "python as a job array": self._run_array,
            "python fragment": _compile,
            "http": self._send_requests,
            "ssh-config": self._configure,
            "dockerfile": lambda block: parse_dockerfile(block.text),
            "json answer": self._compare,
            "json fields of a job": self._ask_with,
        }

    def follow(self, block: Block) -> None:
        """Do it, or what can be done of it here."""
        unrun = next((each for each in UNRUN if _is_meant(each, self.page, block)), None)
        if unrun is not None:
            self._check_unrun(block, unrun.code)
        if re.fullmatch(r"(python|yaml) \w+\.\w+", block.info):
            (self.folder / block.info.split()[1]).write_text(block.text)
        elif unrun is None and block.info != "text":
            self.ways[block.info](block)

    def _check_unrun(self, block: Block, code: str) -> None:
        if code:
            with pytest.raises(AssertionError, match=f'"code":"{code}"'):
                self._type(block)
        elif block.info.startswith("python"):
            _compile(block)
        else:
            self.desk.types(f"bash -n <<'END'\n{block.text}END", self.folder)

    def _type(self, block: Block) -> None:
        self.printed = self.desk.types(block.text, self.folder)

    def _type_in_notebook(self, block: Block) -> None:
        way_in = f"ssh lab@{SSH_HOST} bash -es"
        before, after = next((AROUND[part] for part in AROUND if part in block.text), ("", ""))
        sent = f"{before}\n{block.text}\n{after}"
        self.printed = self.desk.types(way_in, self.folder, sent)

    def _type_until_stopped(self, block: Block) -> None:
        """Run a forward until its port listens."""
        process = subprocess.Popen(
            ["bash", "-c", block.text], env=self.desk.env, cwd=self.folder, start_new_session=True
        )
        try:
            wait_until(lambda: process.poll() is not None or _listens(self.desk.ids["PORT"]))
            assert process.poll() is None, block.place
        finally:
            os.killpg(process.pid, signal.SIGTERM)
            process.wait()

    def _run_script(self, block: Block) -> None:
        asked = {
            **JOB,
            "datasets": ["example"],
            "env": QUICK,
            "name": "script",
            "script": block.text,
        }
        if "BERTH_NOTICE_FILE" not in block.text:
            self.desk.ends(self.desk.submits("/jobs", **asked))
            return
        job = self.desk.submits("/jobs", **asked, notice_signal="SIGUSR1")
        log = f"/jobs/{job}/logs?rank=0&offset=0"
        wait_until(lambda: "start 0 at step 0" in self.desk.api.text(log), every_s=1)
        assert self.desk.api.call("POST", f"/jobs/{job}/requeue", {}).status < 400
        wait_until(lambda: "start 1 at step" in self.desk.api.text(log), every_s=1)
        assert "start 1 at step 0\n" not in self.desk.api.text(log)

    def _run_program(self, block: Block) -> None:
        self._end_with_metrics(self.desk.submits("/jobs", **_program(block)))

    def _run_array(self, block: Block) -> None:
        array = self.desk.submits("/job-arrays", **_program(block), array="0-1")
        for task in self.desk.api.get(f"/jobs?array={array}")["results"]:
            self._end_with_metrics(task["id"])

    def _end_with_metrics(self, job: str) -> None:
        """Wait until a training has ended and what it measured is on its page."""
        self.desk.ends(job)
        wait_until(lambda: self.desk.api.get(f"/jobs/{job}/metrics")["metrics"], every_s=1)

    def _send_requests(self, block: Block) -> None:
        for method, address, body in requests_of(block):
            refused = REFUSED.get(f"{method} {address}") if self.page == "saved-images" else None
            said = self._send(method, address, body)
            assert (said["code"] if said else None) == refused, (block.place, method, said)

    def _send(self, method: str, address: str, body: str = "") -> Any:
        """Return the problem of an answer, or None where all is well."""
        typed = f'-X {method} "$BERTH{address}" -H "Authorization: Bearer $BERTH_TOKEN"'
        if body:
            json.loads(body)
            typed += ' -H "Content-Type: application/json" -d @-'
        code = " -o answer -w '%{http_code}' --no-fail-with-body"
        sent = filled(body, self.desk.ids)
        status = self.desk.types(f"curl {typed}{code}", self.folder, sent)
        text = (self.folder / "answer").read_bytes()
        return json.loads(text) if int(status) >= 400 else None

    def _configure(self, block: Block) -> None:
        self.desk.configure_ssh(block.text)
        self.desk.types("ssh berth-lab true", self.folder)

    def _compare(self, block: Block) -> None:
        """Hold an answer, which must be JSON, to what the block before it has printed."""
        said = json.loads(block.text)
        if self.printed:
            assert said.keys() <= json.loads(self.printed).keys(), block.place

    def _ask_with(self, block: Block) -> None:
        asked = {**JOB, "name": "asked", "script": "true", **json.loads(f"{{{block.text}}}")}
        answer = self.desk.api.call("POST", "/workloads/dry-run", {**asked, "kind": "training"})
        assert answer.status == 200, (block.place, answer)

    def get_what_is_named(self, language: str) -> None:
        """Send each request that prose says one may read with."""
        for method, address in requests_named_in(path_of(self.page, language)):
            if method == "GET":
                assert self._send(method, address) is None, (self.page, address)


def _compile(block: Block) -> None:
    compile(block.text, block.place, "exec", ast.PyCF_ONLY_AST)


def _program(block: Block) -> dict[str, Any]:
    command = ["python3", "-c", block.text]
    return {**JOB, "image": "jupyter-python", "memory_mib": 512, "name": "p", "command": command}


def _listens(port: str) -> bool:
    with socket.socket() as client:
        return client.connect_ex(("127.0.0.1", int(port))) == 0


def _blocks(page: str, language: str) -> list[Block]:
    path = ROOT / f"README{ENDINGS[language]}" if page == FRONT else path_of(page, language)
    return blocks_of(path)


def _is_meant(unrun: Unrun, page: str, block: Block) -> bool:
    is_whole = block.info.startswith("sh") or block.info in ("python train.py", "python as a job")
    return unrun.page == page and is_whole and unrun.part in block.text
