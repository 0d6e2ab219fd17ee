"""The audit log says who did what, and cannot be changed afterwards."""

import pytest
from django.db import IntegrityError, transaction

from portal.audit.models import AuditEvent
from portal.audit.services import record_event, record_failure
from portal.common.actor import Actor
from tests.builders.people import a_group, a_member, an_actor

pytestmark = pytest.mark.django_db


def test_an_act_names_its_actor_and_object() -> None:
    group = a_group()
    user = a_member(group)
    record_event(
        actor=an_actor(user),
        action="robot.create",
        object_type="user",
        object_id=7,
        group_id=group.pk,
        params={"name": "ci"},
    )
    event = AuditEvent.objects.get()
    assert (event.actor_id, event.actor_name) == (str(user.pk), user.username)
    assert (event.object_type, event.object_id, event.group_id) == ("user", "7", group.pk)
    assert (event.outcome, event.params) == ("ok", {"name": "ci"})


def test_a_failed_attempt_is_told_apart() -> None:
    record_failure(actor=Actor.system("test"), action="session.open", object_type="user")
    assert AuditEvent.objects.get().outcome == "failed"


def test_no_row_is_ever_changed_or_deleted() -> None:
    record_event(actor=Actor.system("test"), action="a.b", object_type="test")
    with pytest.raises(IntegrityError, match="append-only"), transaction.atomic():
        AuditEvent.objects.update(actor_name="somebody else")
    with pytest.raises(IntegrityError, match="append-only"), transaction.atomic():
        AuditEvent.objects.all().delete()
    assert AuditEvent.objects.get().actor_name == "test"
