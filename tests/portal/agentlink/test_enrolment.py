import hashlib
from datetime import timedelta

import pytest
from rest_framework.test import APIClient

from portal.agentlink import enrolment
from portal.agentlink.enrolment import NodeInUseError, NodeJoinRefusedError
from portal.common.clock import freeze, now
from portal.common.errors import DomainError
from portal.inventory.models import Accelerator, JoinToken, Node, Pool
from tests.builders.machines import a_node, a_pool
from tests.builders.scenes import a_scene
from wire.facts import AcceleratorFacts, AcceleratorHealth, NodeFacts
from wire.messages import Join
from wire.versions import PROTOCOL_VERSION

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("redis_url")]

TOKEN = "join-token-with-plenty-of-bits"


def a_token(pool: Pool, name: str = "gpu-1", token: str = TOKEN) -> JoinToken:
    return JoinToken.objects.create(
        digest=hashlib.sha256(token.encode()).hexdigest(),
        node_name=name,
        pool=pool,
        expires_at=now() + timedelta(minutes=15),
    )


def a_join(name: str = "gpu-1", token: str = TOKEN, protocol: int = PROTOCOL_VERSION) -> Join:
    return Join(protocol=protocol, token=token, name=name, facts=some_facts())


def some_facts(prefix: str = "GPU", **card: object) -> NodeFacts:
    return NodeFacts(
        hostname="host",
        agent_version="1",
        runtime="process",
        isolated=False,
        cpu_milli=8000,
        memory_mib=16384,
        address="10.0.0.5",
        accelerators=tuple(
            AcceleratorFacts.model_validate(
                {
                    "uuid": f"{prefix}-{index}",
                    "index": index,
                    "vendor": "v",
                    "model": "m",
                    "memory_mib": 32768,
                    **card,
                }
            )
            for index in range(2)
        ),
    )


def test_token_buys_a_key_once() -> None:
    pool = a_pool(slices=8)
    a_token(pool)

    joined = enrolment.join_node(a_join())

    node = Node.objects.get(name="gpu-1")
    assert (str(node.pk), node.state, node.address) == (joined.node_id, "joining", "10.0.0.5")
    assert enrolment.authenticate_node(joined.key) == node.pk
    assert joined.key not in str(Node.objects.values())
    assert set(Accelerator.objects.values_list("slices", "slice_mib")) == {(8, 4096)}
    with pytest.raises(NodeJoinRefusedError, match="join_token_used"):
        enrolment.join_node(a_join())


@pytest.mark.parametrize(
    ("join", "code"),
    [
        (a_join(token="another-token-entirely"), "join_token_invalid"),
        (a_join(name="gpu-2"), "join_token_invalid"),
        (a_join(protocol=99), "unsupported_protocol"),
    ],
)
def test_wrong_token_name_or_protocol_is_refused_and_costs_nothing(join: Join, code: str) -> None:
    a_token(a_pool())

    with pytest.raises(DomainError) as refusal:
        enrolment.join_node(join)

    assert refusal.value.code == code
    assert not Node.objects.exists()
    enrolment.join_node(a_join())
    assert Node.objects.count() == 1


def test_expired_token_is_refused() -> None:
    a_token(a_pool())

    with (
        freeze(now() + timedelta(minutes=16)),
        pytest.raises(NodeJoinRefusedError, match="expired"),
    ):
        enrolment.join_node(a_join())


def test_second_host_cannot_take_a_living_node() -> None:
    scene = a_scene()
    a_token(scene.pool, scene.nodes[0].name)

    with pytest.raises(NodeInUseError):
        enrolment.join_node(a_join(scene.nodes[0].name))


def test_lost_node_may_join_anew_with_a_new_key() -> None:
    pool = a_pool()
    lost = a_node(pool, "gpu-1", state="lost", cards=0)
    a_token(pool)

    joined = enrolment.join_node(a_join())

    lost.refresh_from_db()
    assert (str(lost.pk), lost.state, lost.last_seq) == (joined.node_id, "joining", -1)


def test_keys_that_are_not_keys() -> None:
    a_node(a_pool())

    for key in ("", "x", "berthnode_", "0" * 64, "berthnode_" + "a" * 43, "\x00" * 53):
        assert enrolment.authenticate_node(key) is None


def test_card_that_cannot_be_cut_joins_as_bad() -> None:
    a_token(a_pool(slices=8))
    message = a_join().model_copy(update={"facts": some_facts(memory_mib=1024)})

    enrolment.join_node(message)

    assert set(Accelerator.objects.values_list("state", "slices")) == {("bad", 1)}


def test_card_of_another_node_is_not_taken_over() -> None:
    pool = a_pool()
    node = a_node(pool, cards=2)
    a_token(pool)
    message = a_join().model_copy(update={"facts": some_facts(f"SIM-{node.name}")})

    enrolment.join_node(message)

    assert set(Accelerator.objects.values_list("node__name", flat=True)) == {node.name}


def test_sick_card_is_suspected_from_the_start() -> None:
    a_token(a_pool())
    message = a_join().model_copy(update={"facts": some_facts(health=AcceleratorHealth.BAD)})

    enrolment.join_node(message)

    assert set(Accelerator.objects.values_list("state", flat=True)) == {"suspect"}


def test_join_over_http() -> None:
    a_token(a_pool())
    client = APIClient()
    body = a_join().model_dump(mode="json")

    refused = client.post("/node/v1/join", {**body, "name": "../x"}, format="json")
    joined = client.post("/node/v1/join", body, format="json")
    again = client.post("/node/v1/join", body, format="json")

    assert (refused.status_code, refused.json()["code"]) == (422, "bad_message")
    assert joined.status_code == 201, joined.json()
    assert set(joined.json()) == {"node_id", "key", "key_life_s"}
    assert (again.status_code, again.json()["code"]) == (403, "join_token_used")


@pytest.mark.parametrize("name", ["secrets", "checks", "images", "datasets", "registry", "key"])
@pytest.mark.parametrize("body", ["", "{", "[]", "{}", '{"images": 7}'])
@pytest.mark.parametrize("key", ["", "Bearer ", "Bearer berth_node_forged"])
def test_a_stranger_is_asked_for_a_key_before_a_body_is_read(
    name: str, body: str, key: str
) -> None:
    headers = {"Authorization": key} if key else {}
    answer = APIClient().generic(
        "POST", f"/node/v1/{name}", body, content_type="application/json", headers=headers
    )
    assert (answer.status_code, answer.json()["code"]) == (401, "node_key_invalid")
