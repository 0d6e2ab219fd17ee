"""The hash chain over the audit log: what is sealed cannot be changed unnoticed."""

from threading import Event, Thread

import pytest
from django.core.management import CommandError, call_command
from django.db import IntegrityError, connection, transaction

from portal.audit import chain
from portal.audit.models import AuditEvent, AuditSeal
from portal.audit.services import record_event
from portal.common.actor import Actor
from tests.waiting import PATIENCE_S

pytestmark = pytest.mark.django_db


def write(count: int) -> None:
    for number in range(count):
        record_event(
            actor=Actor.system("test"), action=f"a.{number}", object_type="test", params={"n": 1.5}
        )


def past_the_guard(statement: str) -> None:
    """Run a statement as somebody would who owns the table."""
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL session_replication_role = replica")
        cursor.execute(statement)
        cursor.execute("SET LOCAL session_replication_role = origin")


def test_what_was_written_is_sealed_once() -> None:
    write(3)
    assert chain.seal_events() == 3
    assert chain.seal_events() == 0
    write(2)
    assert chain.seal_events() == 2
    first, second = AuditSeal.objects.order_by("id")
    assert (first.count, second.count) == (3, 2)
    assert second.first_id == first.last_id + 1
    assert second.previous == first.digest
    assert list(chain.find_breaks_for_system()) == []


@pytest.mark.parametrize(
    ("statement", "said"),
    [
        ("UPDATE audit_auditevent SET actor_name = 'x' WHERE action = 'a.1'", "was changed"),
        ("DELETE FROM audit_auditevent WHERE action = 'a.1'", "covers 3 events, found 2"),
        ("UPDATE audit_auditevent SET params = '{\"n\": 2}' WHERE action = 'a.2'", "was changed"),
        ("UPDATE audit_auditseal SET digest = repeat('0', 64)", "was changed"),
        ("DELETE FROM audit_auditseal WHERE previous = ''", "does not follow"),
    ],
)
def test_a_change_of_what_is_sealed_is_found(statement: str, said: str) -> None:
    write(3)
    chain.seal_events()
    write(1)
    chain.seal_events()

    past_the_guard(statement)

    assert said in " ".join(found.detail for found in chain.find_breaks_for_system())
    with pytest.raises(CommandError, match="violation"):
        call_command("check_invariants")


def test_an_event_that_is_slipped_in_is_found() -> None:
    write(2)
    spare = AuditEvent.objects.order_by("id").last()
    assert spare is not None
    with connection.cursor() as cursor:
        cursor.execute("SELECT nextval('audit_auditevent_id_seq')")
    write(1)
    chain.seal_events()

    AuditEvent(id=spare.pk + 1, action="slipped.in", object_type="test").save(force_insert=True)

    assert [found.detail for found in chain.find_breaks_for_system()] == [
        "covers 3 events, found 4"
    ]


@pytest.mark.parametrize(
    "statement",
    [
        "TRUNCATE audit_auditevent",
        "TRUNCATE audit_auditseal",
        "DELETE FROM audit_auditseal",
        "UPDATE audit_auditseal SET count = 7",
    ],
)
def test_neither_log_nor_seals_are_emptied_or_changed(statement: str) -> None:
    write(1)
    chain.seal_events()
    with (
        pytest.raises(IntegrityError, match="append-only"),
        transaction.atomic(),
        connection.cursor() as cursor,
    ):
        cursor.execute(statement)


@pytest.mark.django_db(transaction=True)
def test_a_transaction_under_way_keeps_the_seal_waiting() -> None:
    """Its event has a lower id than those that are there, so it would be missing under the seal."""
    is_written, may_end = Event(), Event()

    def write_slowly() -> None:
        with transaction.atomic():
            write(1)
            is_written.set()
            may_end.wait(PATIENCE_S)
        connection.close()

    slow = Thread(target=write_slowly)
    slow.start()
    is_written.wait(PATIENCE_S)
    write(1)
    assert chain.seal_events() == 0
    may_end.set()
    slow.join()
    assert chain.seal_events() == 2
    assert list(chain.find_breaks_for_system()) == []
