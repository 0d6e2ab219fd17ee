"""Work on a silent node that is kept: what holds it, and what proves that it is gone."""

from datetime import timedelta
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from portal.audit.models import AuditEvent
from portal.common.actor import Actor
from portal.common.clock import freeze, now
from portal.common.errors import ConflictError, DeniedError, InvalidError
from portal.common.site_config import FenceCommand, FenceCommands
from portal.fleet.presentation import present_nodes
from portal.inventory.models import FenceAttempt, Node
from portal.quotas.models import Quota
from portal.workloads.models import Allocation, Workload
from portal.workloads.operations import fencing, nodes
from portal.workloads.operations.fencing import FenceResult, run_fence_command
from portal.workloads.responses.workloads import present_detail
from portal.workloads.sweep import run_sweep
from tests.builders.people import a_user, an_actor
from tests.builders.scenes import Scene, a_quota, a_scene, assert_sound, cancel
from tests.builders.scripted_node import finished, running
from wire.messages import DesiredContainer
from wire.words import ExitCause

pytestmark = pytest.mark.django_db

HEARTBEAT = timedelta(seconds=5)
DAY = timedelta(days=1)
OVER = timedelta(seconds=46)
"""Lease and grace, and a second."""


def an_operator() -> Actor:
    return an_actor(a_user(role="operator"))


def a_running(scene: Scene, **asked: object) -> tuple[Workload, Allocation]:
    work = scene.work(**asked)
    (held,) = scene.place(work)
    scene.links[0].beat()
    scene.links[0].beat(containers=[running(held)])
    work.refresh_from_db()
    return work, held


def swept(work: Workload, after: timedelta) -> Workload:
    with freeze(now() + after):
        run_sweep(heartbeat=HEARTBEAT)
    work.refresh_from_db()
    return work


def node_of(scene: Scene, number: int = 0) -> Node:
    return Node.objects.get(pk=scene.nodes[number].pk)


def seen(work: Workload) -> tuple[str, str, int]:
    work.refresh_from_db()
    live = work.allocations.exclude(state="released").count()
    return work.state, work.cause, live


def lose(scene: Scene, actor: Actor | None = None, name: str = "") -> None:
    node = node_of(scene)
    nodes.declare_node_lost(actor=actor or an_operator(), node_id=node.pk, name=name or node.name)


def test_kept_work_outlives_the_lease_with_everything_it_holds() -> None:
    scene = a_scene(nodes=2)
    quota = a_quota(scene.group, "cpu", ceiling=10**6)
    work, held = a_running(scene)
    used = Quota.objects.get(pk=quota.pk).used

    swept(work, OVER)
    swept(work, 3 * DAY)

    assert (work.state, work.epoch, node_of(scene).state) == ("running", 1, "lost")
    assert [item.pk for item in scene.held(work)] == [held.pk]
    assert Quota.objects.get(pk=quota.pk).used == used > 0
    assert_sound()
    with freeze(now() + 3 * DAY):
        shown = present_detail(work, work.owner_id)
        scene.links[0].beat(containers=[running(held)])
    assert shown["silent_since"] == shown["silent_nodes"][0]["since"] is not None
    assert [item["silence"] for item in shown["silent_nodes"]] == ["keep"]
    assert (seen(work), node_of(scene).state) == (("running", "", 1), "ready")


@pytest.mark.parametrize(
    ("of_pool", "asked", "expected"),
    [
        ("keep", "", "keep"),
        ("keep", "keep", "keep"),
        ("keep", "replace", "replace"),
        ("replace", "", "replace"),
        # The pool was tightened after the submission.
        ("replace", "keep", "replace"),
    ],
)
def test_term_is_fixed_at_placement_and_reaches_the_node(
    of_pool: str, asked: str, expected: str
) -> None:
    scene = a_scene(silence=of_pool)
    work = scene.work()
    Workload.objects.filter(pk=work.pk).update(silence=asked)
    (held,) = scene.place(work)
    scene.pool.policy = {}
    scene.pool.save()

    [sent] = scene.links[0].beat().containers

    assert (held.silence, sent.silence) == (expected, expected)


def test_remaining_time_is_sent_and_counts_from_the_start() -> None:
    scene = a_scene()
    work = scene.work()
    Workload.objects.filter(pk=work.pk).update(spec={"command": ["x"], "notice_signal": "SIGUSR1"})
    (held,) = scene.place(work)
    start = now()

    def limit_after(seconds: int) -> tuple[int, int, int, str]:
        with freeze(start + timedelta(seconds=seconds)):
            [sent] = scene.links[0].beat(containers=[running(held)]).containers
        return _limit(sent)

    with freeze(start):
        assert _limit(scene.links[0].beat().containers[0]) == (3600, 60, 40, "SIGUSR1")
    assert limit_after(100) == (3600, 60, 40, "SIGUSR1")
    assert limit_after(110) == (3590, 60, 40, "SIGUSR1")
    assert limit_after(9000)[0] == 0


def _limit(sent: DesiredContainer) -> tuple[int, int, int, str]:
    assert sent.limit is not None
    return sent.limit.remaining_s, sent.limit.grace_s, sent.limit.notice_s, sent.limit.signal


def test_silent_node_keeps_time_limits_itself() -> None:
    scene = a_scene()
    work, held = a_running(scene)

    assert swept(work, timedelta(hours=5)).state == "running"
    scene.links[0].beat(finished=[finished(held, 143, ExitCause.TIME_LIMIT)])

    assert seen(work) == ("expired", "time_limit", 0)
    assert work.cause_params == {"time_limit_s": 3600}
    assert_sound()


def test_end_during_the_silence_counts_even_if_it_is_reported_after_the_limit() -> None:
    scene = a_scene()
    work, held = a_running(scene)
    swept(work, timedelta(hours=5))

    scene.links[0].beat(finished=[finished(held)])

    assert seen(work)[0] == "succeeded"


def test_cancelled_work_on_a_silent_node_ends_when_that_is_proven() -> None:
    scene = a_scene()
    work, _ = a_running(scene)
    swept(work, OVER)
    cancel(work)
    assert (work.state, work.outcome) == ("stopping", "cancelled")
    assert swept(work, DAY).state == "stopping"

    with freeze(now() + DAY):
        lose(scene)

    assert seen(work) == ("cancelled", "requested", 0)


def test_new_boot_of_the_same_machine_proves_the_work_gone() -> None:
    scene = a_scene()
    work, _ = a_running(scene)
    link = scene.links[0]
    link.boot_id, link.applied = "boot-2", -1

    with freeze(now() + OVER):
        assert link.beat().containers == ()

    assert seen(work) == ("queued", "node_rebooted", 0)
    assert (node_of(scene).state, node_of(scene).boot_id) == ("ready", "boot-2")


@pytest.mark.parametrize(
    ("machine_id", "code"),
    [("dmi:another", "identity_used_twice"), ("", "earlier_boot_has_work")],
)
def test_boot_of_another_or_unknown_machine_proves_nothing(machine_id: str, code: str) -> None:
    scene = a_scene()
    work, _ = a_running(scene)
    link = scene.links[0]
    link.boot_id, link.machine_id, link.applied = "boot-2", machine_id, -1

    with freeze(now() + OVER):
        refused = link.repeat(link.message(link.seq + 1))
    assert refused.model_dump()["code"] == code
    swept(work, DAY)
    assert seen(work) == ("running", "", 1)

    with freeze(now() + DAY):
        lose(scene)
    assert seen(work) == ("queued", "node_declared_lost", 0)


def test_declaring_a_node_lost_needs_its_name_its_silence_and_the_right() -> None:
    scene = a_scene()
    work, _ = a_running(scene)

    with pytest.raises(ConflictError, match="node_not_silent"):
        lose(scene)
    with freeze(now() + OVER):
        with pytest.raises(InvalidError, match="name_not_repeated"):
            lose(scene, name="another")
        with pytest.raises(DeniedError):
            lose(scene, an_actor(a_user()))
        assert seen(work) == ("running", "", 1)
        lose(scene)
        lose(scene)

    assert seen(work) == ("queued", "node_declared_lost", 0)
    [event] = AuditEvent.objects.filter(action="node.declare_lost")
    assert event.params["name"] == scene.nodes[0].name
    assert node_of(scene).lost_as == "declared"
    assert_sound()


def test_lost_node_that_returns_is_stopped_at_once_and_cordoned() -> None:
    scene = a_scene(nodes=2)
    work, held = a_running(scene)
    with freeze(now() + OVER):
        lose(scene)
        (again,) = scene.place(work, scene.placement(1))
        scene.links[1].beat()
        reply = scene.links[0].beat(containers=[running(held)])

    assert reply.containers == ()
    assert [(item.epoch, item.seconds, item.notice_s) for item in reply.graces] == [(1, 0, 0)]
    assert again.epoch == 2
    node = node_of(scene)
    assert (node.state, node.hold) == ("cordoned", "cordon")
    [shown] = present_nodes(an_operator(), [node])
    assert [(item["code"], item["is_blocking"]) for item in shown["faults"]] == [
        ("returned_after_lost", True)
    ]
    assert AuditEvent.objects.filter(action="node.return_after_lost").count() == 1
    with freeze(now() + OVER):
        scene.links[0].beat(tombstones=[])
        nodes.uncordon_node(actor=an_operator(), node_id=node.pk)
        scene.links[0].beat()
    [shown] = present_nodes(an_operator(), [node_of(scene)])
    assert (shown["state"], shown["faults"], shown["lost_as"]) == ("ready", [], "")
    assert AuditEvent.objects.filter(action="node.return_after_lost").count() == 1
    assert_sound()


def test_lost_node_that_was_really_off_returns_without_a_fault() -> None:
    scene = a_scene()
    a_running(scene)
    link = scene.links[0]
    with freeze(now() + OVER):
        lose(scene)
        link.boot_id, link.applied = "boot-2", -1
        link.beat()

    node = node_of(scene)
    assert (node.state, node.lost_as, node.returned_at) == ("ready", "", None)


def test_command_line_declares_a_node_lost_by_its_name_twice() -> None:
    scene = a_scene()
    work, _ = a_running(scene)
    name, out = scene.nodes[0].name, StringIO()

    def declare(node: str, again: str) -> None:
        call_command("declare_node_lost", node, "--confirm", again, stdout=out)

    with pytest.raises(CommandError, match="there is no node"):
        declare("unknown", "unknown")
    with pytest.raises(CommandError, match="node_not_silent"):
        declare(name, name)
    with freeze(now() + OVER):
        with pytest.raises(CommandError, match="name_not_repeated"):
            declare(name, "other")
        declare(name, name)
    assert "declared lost" in out.getvalue()
    assert seen(work) == ("queued", "node_declared_lost", 0)


class Fences:
    """Fence commands of a pool, with the results that a test chooses."""

    def __init__(self, scene: Scene, *results: FenceResult) -> None:
        command = FenceCommand(("off", "{node}"), after_s=300, attempts_max=2)
        self.commands = FenceCommands(pools={scene.pool.name: command})
        self.results = list(results)
        self.ran: list[tuple[str, ...]] = []

    def run(self, argv: tuple[str, ...], timeout_s: float) -> FenceResult:
        assert timeout_s == 60
        self.ran.append(argv)
        return self.results.pop(0)

    def look(self) -> int:
        return fencing.fence_silent_nodes(self.commands, heartbeat=HEARTBEAT, run=self.run)


OFF, FAILED = FenceResult(0, "Chassis Power Control: Down/Off"), FenceResult(1, "no route")


def looks(scene: Scene, fences: Fences, *minutes: float, heard: int = 2) -> None:
    """Sweep and look at these minutes, while some other nodes are heard."""
    start = now()
    for minute in minutes:
        with freeze(start + timedelta(minutes=minute)):
            for link in scene.links[1 : 1 + heard]:
                link.beat()
            run_sweep(heartbeat=HEARTBEAT)
            fences.look()


def test_fence_command_that_confirms_frees_the_work() -> None:
    scene = a_scene(nodes=3)
    work, held = a_running(scene)
    fences = Fences(scene, OFF)

    looks(scene, fences, 1, 5.9)
    assert (fences.ran, seen(work)[0]) == ([], "running")
    looks(scene, fences, 6.1, 20)

    assert fences.ran == [("off", scene.nodes[0].name)]
    assert seen(work) == ("queued", "node_fenced", 0)
    [attempt] = FenceAttempt.objects.all()
    assert (attempt.exit_code, attempt.output) == (0, OFF.output)
    event = AuditEvent.objects.get(action="node.fence")
    assert (event.params["exit_code"], event.params["is_given_up"]) == (0, True)

    with freeze(now() + timedelta(minutes=21)):  # It has lied.
        reply = scene.links[0].beat(containers=[running(held)])
    assert [item.seconds for item in reply.graces] == [0]
    [shown] = present_nodes(an_operator(), [node_of(scene)])
    codes = [item["code"] for item in shown["faults"]]
    assert (shown["state"], codes) == ("cordoned", ["returned_after_lost", "fence_unconfirmed"])


def test_failed_fence_command_is_repeated_for_a_while_and_frees_nothing() -> None:
    scene = a_scene(nodes=3)
    work, _ = a_running(scene)
    fences = Fences(scene, FAILED, FenceResult(None, "no end within 60 s"))

    looks(scene, fences, 1, 7, 7.5, 8.5, 10, 20)

    assert len(fences.ran) == 2
    assert seen(work) == ("running", "", 1)


def test_nothing_is_fenced_while_most_nodes_are_silent() -> None:
    scene = a_scene(nodes=4)
    work, _ = a_running(scene)
    for link in scene.links[1:]:
        link.beat()
    fences = Fences(scene)

    looks(scene, fences, 1, 7, 60, heard=1)

    assert (fences.ran, seen(work)[0]) == ([], "running")


def test_node_that_was_heard_while_its_fence_command_ran_keeps_its_work() -> None:
    scene = a_scene(nodes=3)
    work, held = a_running(scene)
    fences = Fences(scene, OFF)
    usual = fences.run

    def run_and_hear(argv: tuple[str, ...], timeout_s: float) -> FenceResult:
        scene.links[0].beat(containers=[running(held)])
        return usual(argv, timeout_s)

    fences.run = run_and_hear  # type: ignore[method-assign]
    looks(scene, fences, 1, 6.1)

    assert len(fences.ran) == 1
    assert seen(work) == ("running", "", 1)


def test_fence_command_runs_without_a_shell_and_is_killed_when_it_takes_too_long() -> None:
    assert run_fence_command(("/bin/echo", "$HOME; {node}"), 10) == FenceResult(0, "$HOME; {node}")
    assert run_fence_command(("/bin/sh", "-c", "echo no; exit 3"), 10) == FenceResult(3, "no")
    slow = run_fence_command(("/bin/sh", "-c", "echo slow; sleep 60 & wait"), 0.2)
    assert (slow.exit_code, slow.output) == (None, "slow\nno end within 0.2 s")
    assert run_fence_command(("/nonexistent/fence",), 1).exit_code is None
