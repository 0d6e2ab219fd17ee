"""What the roles of an installation may do in a real PostgreSQL, and what it refuses them."""

from datetime import timedelta

import pytest
from django.db import connection, transaction
from django.db.utils import ProgrammingError

from deploy.server import roles
from deploy.server.faults import RefusalError
from portal.audit import chain
from portal.audit.models import AuditEvent, AuditSeal
from portal.common.clock import freeze, now
from portal.telemetry import services
from tests.builders.people import a_user
from tests.deploy.server.databases import Granted, become, granted_roles

pytestmark = pytest.mark.django_db


@pytest.fixture
def granted() -> Granted:
    return granted_roles()


@pytest.mark.parametrize("role", ["app", "keeper"])
def test_both_roles_read_and_write_rows_and_seal_the_audit_log(granted: Granted, role: str) -> None:
    become(getattr(granted, role))
    user = a_user()
    user.delete()
    AuditEvent.objects.create(action="tests.act", actor_kind="system", object_type="tests")
    chain.seal_events()
    assert AuditSeal.objects.get().count == 1


@pytest.mark.parametrize("role", ["app", "keeper"])
@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE audit_auditevent SET action = 'other'",
        "DELETE FROM audit_auditevent",
        "TRUNCATE audit_auditevent",
        "UPDATE audit_auditseal SET digest = ''",
        "DELETE FROM audit_auditseal",
        "ALTER TABLE audit_auditevent DISABLE TRIGGER ALL",
        "ALTER TABLE workloads_workload ADD COLUMN more int",
        "DROP TABLE workloads_workload CASCADE",
        "CREATE ROLE more",
    ],
)
def test_neither_changes_the_audit_log_or_a_table(
    granted: Granted, role: str, statement: str
) -> None:
    become(getattr(granted, role))
    with (
        pytest.raises(ProgrammingError, match=r"permission denied|must be owner"),
        transaction.atomic(),
        connection.cursor() as cursor,
    ):
        cursor.execute(statement)


def test_only_the_keeper_makes_and_drops_partitions_for_samples(granted: Granted) -> None:
    become(granted.app)
    with pytest.raises(ProgrammingError, match="permission denied"), transaction.atomic():
        services.maintain_partitions()
    become(granted.keeper)
    with freeze(now() + timedelta(days=1000)):
        assert services.maintain_partitions() > 0


def test_roles_that_do_not_exist_are_named() -> None:
    with pytest.raises(RefusalError) as refused:
        roles.grant("nobody_app", "nobody_keeper")
    assert (refused.value.fault.code, refused.value.fault.params) == (
        "role_missing",
        {"role": "nobody_app"},
    )
