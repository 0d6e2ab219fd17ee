"""Keys of nodes: each lives for a while, overlaps with the next, and dies when that one is used."""

from datetime import timedelta

import pytest
from rest_framework.test import APIClient

from portal.agentlink import enrolment
from portal.agentlink.enrolment import NodeKeyRefusedError
from portal.common.clock import freeze, now
from portal.common.site_config import get_site_config
from portal.inventory.models import Node, NodeKey
from tests.builders.machines import a_pool
from tests.portal.agentlink.test_enrolment import a_join, a_token
from wire.messages import NewKey

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("redis_url")]


def a_key() -> str:
    a_token(a_pool())
    return enrolment.join_node(a_join()).key


def test_first_use_of_the_next_key_ends_the_present_one() -> None:
    present = a_key()
    node = Node.objects.get().pk
    following = enrolment.rotate_key(present).key

    assert enrolment.authenticate_node(present) == node
    assert enrolment.authenticate_node(following) == node
    assert enrolment.authenticate_node(present) is None
    assert enrolment.authenticate_node(following) == node
    with pytest.raises(NodeKeyRefusedError):
        enrolment.rotate_key(present)


def test_a_key_that_got_lost_on_its_way_is_replaced_by_the_next_answer() -> None:
    present = a_key()
    lost = enrolment.rotate_key(present).key
    following = enrolment.rotate_key(present).key

    assert enrolment.authenticate_node(lost) is None
    assert enrolment.authenticate_node(following) == Node.objects.get().pk
    assert NodeKey.objects.count() == 1


def test_the_present_key_outlives_its_unused_successor_by_a_day_at_most() -> None:
    present = a_key()
    enrolment.rotate_key(present)
    with freeze(now() + timedelta(hours=23)):
        assert enrolment.authenticate_node(present) is not None
    with freeze(now() + timedelta(hours=25)):
        assert enrolment.authenticate_node(present) is None


def test_an_expired_key_opens_nothing() -> None:
    present = a_key()
    with freeze(now() + timedelta(seconds=get_site_config().node_key_life_s)):
        assert enrolment.authenticate_node(present) is None
        with pytest.raises(NodeKeyRefusedError):
            enrolment.rotate_key(present)


def test_rotation_over_http_needs_the_present_key() -> None:
    client = APIClient()
    refused = client.post("/node/v1/key", headers={"authorization": "Bearer nonsense"})
    answer = client.post("/node/v1/key", headers={"authorization": f"Bearer {a_key()}"})

    assert (refused.status_code, refused.json()["code"]) == (401, "node_key_invalid")
    assert answer.status_code == 201
    assert enrolment.authenticate_node(NewKey.model_validate(answer.json()).key) is not None


def test_joining_anew_ends_every_earlier_key() -> None:
    present = a_key()
    Node.objects.filter().update(state="unready")
    Node.objects.filter().update(state="lost")
    a_token(Node.objects.get().pool, token="another-token-of-the-node")
    anew = enrolment.join_node(a_join(token="another-token-of-the-node")).key

    assert enrolment.authenticate_node(present) is None
    assert enrolment.authenticate_node(anew) == Node.objects.get().pk
