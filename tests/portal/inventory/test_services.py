"""How operators invite nodes."""

import hashlib
from datetime import timedelta

import pytest

from portal.audit.models import AuditEvent
from portal.common.clock import now
from portal.common.errors import DeniedError
from portal.inventory import services
from portal.inventory.models import JoinToken
from tests.builders.machines import a_pool
from tests.builders.people import a_user, an_actor

pytestmark = pytest.mark.django_db


def test_join_token_is_kept_as_its_hash_for_a_quarter_of_an_hour() -> None:
    operator = an_actor(a_user(role="operator"))
    issued = services.create_join_token(actor=operator, node_name="gpu-1", pool=a_pool())
    row = JoinToken.objects.get()
    assert row.digest == hashlib.sha256(issued.secret.encode()).hexdigest()
    assert timedelta(minutes=14) < row.expires_at - now() <= timedelta(minutes=15)
    assert AuditEvent.objects.get().action == "node.invite"


def test_only_operators_invite() -> None:
    pool = a_pool()
    for role in ("", "auditor"):
        actor = an_actor(a_user(role=role))
        with pytest.raises(DeniedError):
            services.create_join_token(actor=actor, node_name="gpu-1", pool=pool)
    assert not AuditEvent.objects.exists()
