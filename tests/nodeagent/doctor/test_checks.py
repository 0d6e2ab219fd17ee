"""What the doctor says of a host; the host is a value."""

import io
import json
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import pytest

from nodeagent.config import AgentConfig
from nodeagent.doctor.collector import collect_facts, parse_engine_facts
from nodeagent.doctor.facts import EngineFacts, FolderFacts, HostFacts
from nodeagent.doctor.report import is_healthy, render_json, render_text, run_checks, run_doctor
from wire.words import CheckLevel

ENGINE: Final = EngineFacts(
    versions={"engine": ("28.5.1",), "runc": ("1.3.6",)},
    security=("name=seccomp,profile=builtin", "name=userns", "name=cgroupns"),
    cgroup_version="2",
    is_live_restore=True,
    runtimes=("runc", "nvidia"),
    has_network=True,
)
FOLDER: Final = FolderFacts("/srv/berth", True, 500_000, ("rw", "nosuid", "nodev"), has_quota=True)
HOST: Final = HostFacts(
    is_root=True,
    engine=ENGINE,
    engine_error="",
    runtime="docker",
    network="berth",
    is_egress_enforced=True,
    nft_error="",
    bridges_filtered=True,
    accepted=frozenset(),
    versions={"driver": ("580.65.06",), "toolkit": ("1.19.1",), "kernel": ("6.8.0",)},
    nvidia_cards=8,
    cdi_specs=1,
    memory_mib=512_000,
    memory_free_mib=400_000,
    state=FOLDER,
    storage=FOLDER,
    portal_error="",
    clock_offset_s=0.1,
    inotify_instances=8192,
    inotify_watches=1_048_576,
    open_files=524_288,
)


def _engine(**changes: Any) -> HostFacts:
    return replace(HOST, engine=replace(ENGINE, **changes))


ILLS: Final[dict[str, tuple[HostFacts, str, CheckLevel]]] = {
    "a record of shares that cannot be read": (
        replace(HOST, unread_shares=("job.0.1",)),
        "share_records",
        CheckLevel.WARN,
    ),
    "no engine, and one is wanted": (
        replace(HOST, engine=None, engine_error="refused"),
        "engine",
        CheckLevel.FAIL,
    ),
    "no engine, and none is required": (
        replace(HOST, engine=None, runtime="auto"),
        "engine",
        CheckLevel.WARN,
    ),
    "engine below its floor": (
        _engine(versions={"engine": ("19.03",), "runc": ("1.3.6",)}),
        "engine_version",
        CheckLevel.FAIL,
    ),
    "runc below its floor": (
        _engine(versions={"engine": ("28.0",), "runc": ("1.1.4",)}),
        "runc_version",
        CheckLevel.FAIL,
    ),
    "runc below its floor and accepted": (
        replace(
            _engine(versions={"engine": ("28.0",), "runc": ("1.1.4",)}),
            accepted=frozenset({"runc"}),
        ),
        "runc_version",
        CheckLevel.WARN,
    ),
    "runc not known": (_engine(versions={"engine": ("28.0",)}), "runc_version", CheckLevel.FAIL),
    "toolkit below its floor": (
        replace(HOST, versions={**HOST.versions, "toolkit": ("1.17.7",)}),
        "toolkit_version",
        CheckLevel.FAIL,
    ),
    "driver is old": (
        replace(HOST, versions={**HOST.versions, "driver": ("535.54",)}),
        "driver_version",
        CheckLevel.WARN,
    ),
    "cgroup v1": (_engine(cgroup_version="1"), "cgroup", CheckLevel.WARN),
    "no filter of system calls": (_engine(security=("name=userns",)), "seccomp", CheckLevel.FAIL),
    "filter switched off": (
        _engine(security=("name=seccomp,profile=unconfined", "name=userns")),
        "seccomp",
        CheckLevel.FAIL,
    ),
    "users not shifted": (
        _engine(security=("name=seccomp,profile=builtin",)),
        "userns",
        CheckLevel.WARN,
    ),
    "no live restore": (_engine(is_live_restore=False), "live_restore", CheckLevel.WARN),
    "engine without bridges": (_engine(has_network=False), "egress", CheckLevel.FAIL),
    "host network": (replace(HOST, network="host"), "egress", CheckLevel.FAIL),
    "egress off": (replace(HOST, is_egress_enforced=False), "egress", CheckLevel.WARN),
    "no nft": (replace(HOST, nft_error="nft: not found"), "egress", CheckLevel.FAIL),
    "bridges not filtered": (replace(HOST, bridges_filtered=False), "egress", CheckLevel.FAIL),
    "cards without a driver": (replace(HOST, versions={}), "cards", CheckLevel.FAIL),
    "cards that the engine cannot hand in": (
        replace(_engine(runtimes=("runc",)), cdi_specs=0),
        "cards",
        CheckLevel.FAIL,
    ),
    "not root": (replace(HOST, is_root=False), "root", CheckLevel.WARN),
    "little memory": (replace(HOST, memory_free_mib=1000), "memory", CheckLevel.WARN),
    "state cannot be written": (
        replace(HOST, state=replace(FOLDER, is_writable=False)),
        "state_dir",
        CheckLevel.FAIL,
    ),
    "disk full": (
        replace(HOST, storage=replace(FOLDER, free_mib=100)),
        "storage_dir",
        CheckLevel.FAIL,
    ),
    "disk almost full": (
        replace(HOST, storage=replace(FOLDER, free_mib=9_000)),
        "storage_dir",
        CheckLevel.WARN,
    ),
    "disk not known": (
        replace(HOST, storage=replace(FOLDER, free_mib=None)),
        "storage_dir",
        CheckLevel.WARN,
    ),
    "set-user-id files": (
        replace(HOST, storage=replace(FOLDER, options=("rw", "nodev"))),
        "storage_mount",
        CheckLevel.WARN,
    ),
    "no quota": (
        replace(HOST, storage=replace(FOLDER, has_quota=False)),
        "storage_quota",
        CheckLevel.WARN,
    ),
    "portal away": (replace(HOST, portal_error="refused"), "portal", CheckLevel.FAIL),
    "clock a little off": (replace(HOST, clock_offset_s=-5.0), "clock", CheckLevel.WARN),
    "clock far off": (replace(HOST, clock_offset_s=3600.0), "clock", CheckLevel.FAIL),
    "clock not compared": (replace(HOST, clock_offset_s=None), "clock", CheckLevel.WARN),
    "few watchers": (replace(HOST, inotify_instances=128), "inotify", CheckLevel.WARN),
    "watchers not known": (replace(HOST, inotify_watches=None), "inotify", CheckLevel.WARN),
    "few files": (replace(HOST, open_files=1024), "open_files", CheckLevel.WARN),
}


def test_healthy_host_has_nothing_to_fix() -> None:
    found = run_checks(HOST)
    assert {item.level for item in found} == {CheckLevel.OK}
    assert len({item.code for item in found}) == len(found)


@pytest.mark.parametrize("name", ILLS)
def test_ill_is_found_and_nothing_else(name: str) -> None:
    facts, code, level = ILLS[name]
    found = {item.code: item for item in run_checks(facts)}
    assert found[code].level is level
    assert found[code].en
    assert any("\u4e00" <= letter <= "\u9fff" for letter in found[code].zh)
    others = {item.level for other, item in found.items() if other != code}
    assert others == {CheckLevel.OK}
    assert is_healthy(tuple(found.values())) is (level is not CheckLevel.FAIL)


def test_host_without_cards_needs_neither_driver_nor_toolkit() -> None:
    facts = replace(_engine(runtimes=("runc",)), nvidia_cards=0, cdi_specs=0, versions={})
    assert {item.level for item in run_checks(facts)} == {CheckLevel.OK}


def test_nodes_that_run_processes_are_not_asked_for_what_containers_need() -> None:
    sick = replace(
        HOST,
        runtime="process",
        nft_error="nft: [Errno 2] No such file or directory",
        bridges_filtered=False,
        engine=replace(ENGINE, versions={"engine": ("20.10.24",)}, security=()),
    )
    assert {item.level for item in run_checks(sick)} == {CheckLevel.OK}
    assert run_checks(sick) == run_checks(replace(sick, engine=None, engine_error="refused"))
    assert {item.code for item in run_checks(sick)} < {item.code for item in run_checks(HOST)}


def test_an_old_engine_is_named_with_what_it_lacks() -> None:
    found = run_checks(_engine(versions={"engine": ("20.10.24",), "runc": ("1.3.6",)}))
    (old,) = (item for item in found if item.code == "engine_version")
    assert old.en == "Docker 20.10.24 is old; 25.0 is needed for CDI devices"


def test_report_has_the_command_that_mends_and_both_languages() -> None:
    found = run_checks(replace(HOST, nft_error="nft: not found"))
    text = render_text(found, "en")
    assert "FAIL  egress: connections of work cannot be limited: nft: not found\n" in text
    assert "      $ apt-get install nftables" in text
    assert "FAIL  egress: 无法限制工作的对外访问" in render_text(found, "zh-CN")
    content = json.loads(render_json(found))
    assert content["healthy"] is False
    (egress,) = [item for item in content["findings"] if item["code"] == "egress"]
    assert (egress["level"], bool(egress["zh"]), bool(egress["fix"])) == ("fail", True, True)


def test_engine_is_read_from_its_own_words() -> None:
    info = {
        "SecurityOptions": ["name=seccomp,profile=default"],
        "CgroupVersion": "2",
        "LiveRestoreEnabled": True,
        "Runtimes": {"runc": {}, "nvidia": {}},
    }
    found = parse_engine_facts({"Components": []}, info, {"bridge", "host"})
    assert found == EngineFacts(
        security=("name=seccomp,profile=default",),
        cgroup_version="2",
        is_live_restore=True,
        runtimes=("runc", "nvidia"),
        has_network=True,
    )
    assert parse_engine_facts({}, {}, {"host"}) == EngineFacts()


def test_real_host_is_looked_at_and_nothing_is_made_on_it(tmp_path: Path) -> None:
    config = AgentConfig(
        name="gpu-1",
        portal_url="http://127.0.0.1:9/",
        state_dir=tmp_path / "state",
        storage_dir=tmp_path / "storage",
        docker={"host": f"unix://{tmp_path}/none.sock"},
    )
    facts = collect_facts(config)
    assert facts.engine is None
    assert facts.engine_error
    assert facts.portal_error
    assert facts.memory_mib > 0
    assert facts.state.is_writable
    assert list(tmp_path.iterdir()) == []
    out = io.StringIO()
    assert run_doctor(config, is_json=True, language="en", out=out) == 1
    assert json.loads(out.getvalue())["healthy"] is False


@pytest.mark.parametrize("has_quota", [True, False])
def test_quota_that_work_may_leave_is_said_where_there_is_one(*, has_quota: bool) -> None:
    host = replace(
        _engine(security=ENGINE.security[:1]), storage=replace(FOLDER, has_quota=has_quota)
    )
    (users,) = (item for item in run_checks(host) if item.code == "userns")
    assert ("out of the quota" in users.en, "目录配额" in users.zh) == (has_quota, has_quota)
