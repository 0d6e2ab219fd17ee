"""What operators do to nodes."""

import hashlib
from datetime import timedelta

import pytest

from portal.audit.models import AuditEvent
from portal.common.clock import now
from portal.common.errors import ConflictError, DeniedError, NotFoundError
from portal.common.ids import new_id
from portal.inventory import services
from portal.inventory.models import JoinToken, Node
from tests.builders.machines import a_node, a_pool
from tests.builders.people import a_user, an_actor

pytestmark = pytest.mark.django_db


def test_join_token_is_kept_as_its_hash_for_a_quarter_of_an_hour() -> None:
    operator = an_actor(a_user(role="operator"))
    issued = services.create_join_token(actor=operator, node_name="gpu-1", pool=a_pool())
    row = JoinToken.objects.get()
    assert row.digest == hashlib.sha256(issued.secret.encode()).hexdigest()
    assert timedelta(minutes=14) < row.expires_at - now() <= timedelta(minutes=15)
    assert AuditEvent.objects.get().action == "node.invite"


def test_only_operators_invite_and_drain() -> None:
    node = a_node(a_pool())
    for role in ("", "auditor"):
        actor = an_actor(a_user(role=role))
        with pytest.raises(DeniedError):
            services.create_join_token(actor=actor, node_name="gpu-1", pool=node.pool)
        with pytest.raises(DeniedError):
            services.drain(actor=actor, node_id=node.pk)
    assert Node.objects.get().state == "ready"
    assert not AuditEvent.objects.exists()


@pytest.mark.parametrize(
    ("state", "drained", "undrained"),
    [
        ("ready", "draining", "ready"),
        ("unready", "draining", None),
        ("draining", "draining", "ready"),
        ("drained", None, "ready"),
        ("lost", None, None),
        ("joining", None, None),
        ("retired", None, None),
    ],
)
def test_draining_follows_the_table_of_states(
    state: str, drained: str | None, undrained: str | None
) -> None:
    operator = an_actor(a_user(role="operator"))
    for act, outcome in ((services.drain, drained), (services.undrain, undrained)):
        node = a_node(a_pool(), state=state)
        if outcome is None:
            with pytest.raises(ConflictError):
                act(actor=operator, node_id=node.pk)
        else:
            act(actor=operator, node_id=node.pk)
        assert Node.objects.get(pk=node.pk).state == (outcome or state)


def test_an_unknown_node_is_not_found() -> None:
    with pytest.raises(NotFoundError):
        services.drain(actor=an_actor(a_user(role="operator")), node_id=new_id())
