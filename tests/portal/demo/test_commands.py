"""The demo organisation: complete after one run, unchanged after two."""

import json
import os
import stat
from collections.abc import Iterator
from io import StringIO
from pathlib import Path

import pytest
from django.contrib.auth import authenticate
from django.core.management import CommandError, call_command

from portal.audit.models import AuditEvent
from portal.identity.models import ApiToken, User
from portal.identity.services import authenticate_token
from portal.inventory.models import JoinToken, Pool
from portal.inventory.policy import parse_pool_policy
from portal.quotas.models import Quota
from portal.tenancy.models import Group, Membership
from scheduler.core.model.policy import TRAINING_POLICY, WEEK_MINUTES

pytestmark = pytest.mark.django_db


def seed(output: Path) -> dict[str, object]:
    call_command("seed_demo", output=output, stdout=StringIO())
    found: dict[str, object] = json.loads(output.read_text())
    return found


def test_one_run_writes_the_whole_organisation(tmp_path: Path) -> None:
    output = tmp_path / "deep" / "demo.json"
    written = seed(output)
    assert stat.S_IMODE(output.stat().st_mode) == 0o600
    assert set(written) == {"url", "apps_url", "users", "robot_token"}
    users = written["users"]
    assert isinstance(users, list)
    assert [user["role"] for user in users].count("developer") == 45
    assert [user["role"] for user in users].count("group_admin") == 5
    assert users[0]["role"] == "platform_admin"
    assert all(authenticate(None, **_login(user)) for user in (users[0], users[1], users[-1]))
    assert Group.objects.count() == 6
    assert Membership.objects.filter(user__kind="person").count() == 50
    development = Pool.objects.get(name="development")
    assert development.slices_per_card == 8
    training = Pool.objects.get(name="training")
    assert parse_pool_policy(training.policy, {}) == TRAINING_POLICY
    lending = parse_pool_policy(development.policy, {"training": "training"}).lending
    assert (lending.to_pools, lending.keep_gpus) == (frozenset({"training"}), 1)
    monday_noon, monday_night, sunday = 12 * 60, 22 * 60, 6 * 24 * 60 + 12 * 60
    assert [
        any(
            (minute - w.start) % WEEK_MINUTES < (w.end - w.start) % WEEK_MINUTES
            for w in lending.windows
        )
        for minute in (monday_noon, monday_night, sunday)
    ] == [False, True, True]
    assert list(
        Quota.objects.values_list("resource", "ceiling").distinct().order_by("resource")
    ) == [
        ("cpu", 40_000),
        ("gpu", 6_000),
    ]
    robot = authenticate_token(str(written["robot_token"]))
    assert robot
    assert robot.user.username == "ci-vision"
    assert AuditEvent.objects.filter(actor_name="seed").count() > 50


@pytest.fixture
def pipe(tmp_path: Path) -> Iterator[tuple[Path, int]]:
    """Hold both ends of a named pipe, as a terminal does of itself: whoever reads it waits for ever."""
    path = tmp_path / "pipe"
    os.mkfifo(path)
    descriptor = os.open(path, os.O_RDWR)
    yield path, descriptor
    os.close(descriptor)


@pytest.mark.timeout(60)
def test_what_can_only_be_written_to_is_not_read_first(pipe: tuple[Path, int]) -> None:
    path, descriptor = pipe
    call_command("seed_demo", output=path, stdout=StringIO())
    written = json.loads(os.read(descriptor, 64 * 1024))
    assert set(written) == {"url", "apps_url", "users", "robot_token"}
    assert list(path.parent.iterdir()) == [path]


def test_a_device_is_written_to_and_never_replaced() -> None:
    call_command("seed_demo", output=Path("/dev/null"), stdout=StringIO())
    assert stat.S_ISCHR(Path("/dev/null").stat().st_mode)
    assert not Path("/dev/null.draft").exists()


def test_a_second_run_changes_nothing(tmp_path: Path) -> None:
    output = tmp_path / "demo.json"
    first = seed(output)
    audit, hashes = AuditEvent.objects.count(), set(User.objects.values_list("password"))
    assert seed(output) == first
    assert AuditEvent.objects.count() == audit
    assert set(User.objects.values_list("password")) == hashes


@pytest.mark.parametrize("damage", ["missing", "broken"])
def test_a_lost_file_is_replaced_by_logins_that_work(tmp_path: Path, damage: str) -> None:
    output = tmp_path / "demo.json"
    first = seed(output)
    if damage == "missing":
        output.unlink()
    else:
        output.write_text("{")
    second = seed(output)
    users = second["users"]
    assert isinstance(users, list)
    assert authenticate(None, **_login(users[7]))
    assert authenticate_token(str(first["robot_token"])) is None
    assert authenticate_token(str(second["robot_token"]))
    assert ApiToken.objects.filter(revoked_at=None).count() == 1


def test_join_token_is_printed_alone() -> None:
    Pool.objects.bulk_create(
        [Pool(name="training", mode="exclusive", default_time_limit_s=1, time_limit_s_max=1)]
    )
    printed = StringIO()
    call_command("create_join_token", "gpu-1", "training", stdout=printed)
    assert printed.getvalue().startswith("berthjoin_")
    assert printed.getvalue().count("\n") == 1
    assert JoinToken.objects.get().node_name == "gpu-1"
    with pytest.raises(CommandError):
        call_command("create_join_token", "gpu-1", "nowhere")


def _login(user: dict[str, str]) -> dict[str, str]:
    return {"username": user["username"], "password": user["password"]}
