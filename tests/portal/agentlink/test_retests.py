"""A card that an operator wants judged anew: the order stands until its node has carried it out."""

from collections.abc import Callable
from typing import Any

import pytest
from typing_extensions import override

from portal.audit.models import AuditEvent
from portal.common.errors import ConflictError, DeniedError, NotFoundError
from portal.common.ids import new_id
from portal.inventory.models import Accelerator
from portal.workloads.operations import nodes
from tests.builders.machines import a_node, a_pool
from tests.builders.people import a_user, an_actor
from tests.builders.scripted_node import ScriptedNode, facts_of
from wire.facts import AcceleratorHealth
from wire.messages import Heartbeat

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("redis_url")]

BAD: dict[str, object] = {"health": AcceleratorHealth.BAD, "fault": "xid_95"}


class Hurt(ScriptedNode):
    """A node with one card, which says what it is told to."""

    def __init__(self, slices: int = 1) -> None:
        super().__init__(a_node(a_pool(slices=slices), cards=1))
        (self._facts,) = facts_of(self.node).accelerators
        self.said: dict[str, object] = {}

    @override
    def message(self, seq: int, **rest: Any) -> Heartbeat:
        card = self._facts.model_copy(update=self.said)
        facts = facts_of(self.node).model_copy(update={"accelerators": (card,)})
        return super().message(seq, **rest).model_copy(update={"facts": facts})


def retest(card: Accelerator, role: str = "operator") -> None:
    actor = an_actor(a_user(role=role))
    nodes.retest_card(actor=actor, node_id=card.node_id, card_id=card.pk)


def acts() -> list[tuple[str, str]]:
    rows = AuditEvent.objects.order_by("id").values_list("action", "params")
    return [(action, params["fault"]) for action, params in rows]


def test_the_order_is_in_every_reply_until_the_node_has_carried_it_out() -> None:
    node = Hurt()
    node.said = BAD
    node.beat()
    card = Accelerator.objects.get()
    assert (card.state, card.fault) == ("suspect", "xid_95")

    retest(card)
    retest(card)  # it stands already
    assert node.beat().retests == node.beat().retests == {card.uuid: 1}
    node.said = {"retested": 1}
    assert node.beat().retests == {}
    card.refresh_from_db()
    assert (card.state, card.fault) == ("ok", "")
    assert acts() == [("card.retest", "xid_95"), ("card.retested", "")]

    # The next one is another order, and its answer may be no.
    node.said = {**BAD, "retested": 1}
    node.beat()
    retest(card)
    assert node.beat().retests == {card.uuid: 2}
    node.said = {**BAD, "retested": 2}
    assert node.beat().retests == {}
    assert acts()[-1] == ("card.retested", "xid_95")


def test_a_card_that_was_called_bad_comes_back_by_an_order_only() -> None:
    node = Hurt()
    card = node.node.accelerators.get()
    card.delete()
    card.state = "bad"  # no report makes it so
    card.save(force_insert=True)
    node.beat()
    retest(card)
    node.said = {**BAD, "retested": 1}
    node.beat()
    card.refresh_from_db()
    assert card.state == "bad"
    retest(card)
    node.said = {"retested": 2}
    node.beat()
    card.refresh_from_db()
    assert card.state == "ok"


def test_a_card_that_was_never_cut_is_not_given_to_a_pool_of_slices() -> None:
    node = Hurt(slices=8)
    node.said = {"memory_mib": 4096}
    Accelerator.objects.all().delete()
    node.beat()
    card = Accelerator.objects.get()
    assert (card.state, card.fault, card.slices) == ("bad", "memory_shrank", 1)
    retest(card)
    node.said = {"memory_mib": 4096, "retested": 1}
    node.beat()
    card.refresh_from_db()
    assert (card.state, card.fault) == ("bad", "memory_shrank")


def test_only_operators_order_it_and_only_for_a_card_out_of_service() -> None:
    node = a_node(a_pool(), cards=1)
    card = node.accelerators.get()

    def refused(error: type[Exception], act: Callable[[], None]) -> None:
        with pytest.raises(error):
            act()

    refused(ConflictError, lambda: retest(card))
    refused(DeniedError, lambda: retest(card, role="auditor"))
    card.node_id = a_node(a_pool()).pk  # of another node
    refused(NotFoundError, lambda: retest(card))
    card.pk = new_id()
    refused(NotFoundError, lambda: retest(card))
    assert acts() == []
