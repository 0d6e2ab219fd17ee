"""Writes what the demo shows besides its past, once, after it: templates, views, requests, alarms that are over, notices."""

from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.db import transaction

from portal.alarms.simulated import PastAlarm, write_past_alarms
from portal.approvals import services as approvals
from portal.catalog import services as catalog
from portal.catalog.models import Image
from portal.common.actor import Actor
from portal.common.clock import now
from portal.demo import examples, organisation
from portal.demo.past_notices import write_notices
from portal.identity.models import User
from portal.inventory.models import Accelerator, Node, Pool
from portal.inventory.simulated import write_node_that_is_off
from portal.quotas import budgets, limits
from portal.quotas.budgets import BudgetAmount
from portal.quotas.models import Budget, Quota
from portal.reserving.requests import (
    ReservationRefusedError,
    ReservationRequest,
    create_reservation,
)
from portal.saved_views.services import save_view
from portal.serving import services as serving
from portal.serving.inputs import ServiceInput, split_service
from portal.serving.models import Service
from portal.site.selectors import settings_for_system
from portal.studies import services as studies
from portal.studies.change_request import ChangeRequest
from portal.studies.models import StoryName
from portal.templates import services as templates
from portal.templates.services import TemplateContent, TemplateOwner, TemplateScope
from portal.tenancy.actors import load_actor
from portal.tenancy.models import Group
from portal.workloads.gpu_accounting import sum_gpu_hours_for_system
from portal.workloads.operations.nodes import drain_node
from scheduler.core.model.resources import Resource

TUESDAY = 1


def write_contents(actor: Actor) -> None:
    """Write all examples; `actor` is the platform, which sets up what administrators would."""
    groups = dict(Group.objects.values_list("name", "pk"))
    admin = _person(organisation.ADMIN)
    for template in examples.TEMPLATES:
        content = TemplateContent(template.name, template.description, template.settings, (), {})
        owner = TemplateOwner(TemplateScope.PLATFORM)
        templates.create_template(actor=admin, kind=template.kind, owner=owner, content=content)
    for view in examples.VIEWS:
        save_view(
            actor=_person(view.owner),
            list_name=view.list_name,
            name=view.name,
            search=view.search,
            group_id=groups[view.group] if view.group else None,
        )
    _write_requests(actor, groups)
    _write_alarms()
    write_notices(now())
    _switch_a_node_off(admin)
    _set_budget(actor, groups[examples.BUDGET_GROUP])
    _reserve(actor, groups)
    _ask_what_if(admin)
    _serve()


def _person(username: str) -> Actor:
    return load_actor(User.objects.get(username=username))


def _write_requests(actor: Actor, groups: dict[str, UUID]) -> None:
    group = groups[organisation.TEAMS[0].name]
    for example in examples.REQUESTS:
        member = User.objects.get(username=example.member)
        limits.set_member_limit(
            actor=actor,
            group_id=group,
            user_id=member.pk,
            limits={"time_limit_s_max": example.has_s},
            ceilings={},
        )
        wanted = {"time_limit_s_max": example.wants_s}
        given = {"kind": "member_limit", "group": group, "limits": wanted}
        made = approvals.make_request(
            actor=load_actor(member), given=given, comment=example.comment
        )
        if example.is_approved:
            head = _person(examples.HEAD)
            approvals.approve_request(actor=head, request_id=made.pk, comment="")
    head_name, more_milli, comment = examples.QUOTA_REQUEST
    quota = Quota.objects.get(
        group__name=organisation.TEAMS[1].name, pool=None, resource=Resource.GPU.value
    )
    if quota.ceiling is not None:
        ceiling = quota.ceiling + more_milli
        given = {"kind": "quota", "quota": quota.pk, "ceiling": ceiling}
        approvals.make_request(actor=_person(head_name), given=given, comment=comment)


def _write_alarms() -> None:
    nodes = {node.name: node for node in Node.objects.select_related("pool")}
    cards = {
        (card.node.name, card.index): card for card in Accelerator.objects.select_related("node")
    }
    moment = now()
    write_past_alarms(
        PastAlarm(
            kind=example.kind,
            node=nodes[example.node],
            card=None if example.card is None else cards[example.node, example.card],
            value=example.value,
            fired_at=moment - example.ago,
            resolved_at=moment - example.ago + example.lasted,
            acknowledged_by=User.objects.get(username=organisation.ADMIN)
            if example.comment
            else None,
            comment=example.comment,
        )
        for example in examples.ALARMS
        if example.node in nodes
    )


def _switch_a_node_off(admin: Actor) -> None:
    """Have a node in maintenance: it is not one of those whose cards the activity uses."""
    like = Node.objects.filter(name=examples.STUDY_NODE).select_related("pool").first()
    if like is not None:
        node = write_node_that_is_off(examples.MAINTENANCE_NODE, like)
        drain_node(actor=admin, node_id=node.pk)


def _set_budget(actor: Actor, group_id: UUID) -> None:
    """Give a team a budget of this month of which most is used."""
    first = settings_for_system().days.day_of(now()).replace(day=1)
    used_h = sum_gpu_hours_for_system(group_id, first)
    amount = BudgetAmount(max(100, used_h * 100 // examples.BUDGET_USED_PCT), None)
    period = Budget.Period.MONTH.value
    budgets.set_budget(actor=actor, group_id=group_id, pool_id=None, period=period, amount=amount)


def _reserve(actor: Actor, groups: dict[str, UUID]) -> None:
    """Reserve GPUs for a course on Tuesday; what was promised before may leave too few."""
    group, name, gpus = examples.RESERVATION
    begins, ends = (_next_tuesday(hour) for hour in examples.RESERVED_HOURS)
    pool = Pool.objects.get(name=organisation.TRAINING)
    request = ReservationRequest(
        name=name,
        group_id=groups[group],
        pool_id=pool.pk,
        starts_at=begins,
        ends_at=ends,
        gpus=min(gpus, Accelerator.objects.filter(pool=pool).count()),
    )
    try:
        with transaction.atomic():
            create_reservation(actor=actor, request=request)
    except ReservationRefusedError:
        return


def _next_tuesday(hour: int) -> datetime:
    """Return the hour of the site's next Tuesday that is at least a day away."""
    days = settings_for_system().days
    tomorrow = days.day_of(now()) + timedelta(days=1)
    ahead = (TUESDAY - tomorrow.weekday()) % 7
    return days.midnight(tomorrow + timedelta(days=ahead)) + timedelta(hours=hour)


def _ask_what_if(admin: Actor) -> None:
    """Queue the story and a study of the past; they are simulated in the background."""
    studies.request_story(actor=admin, scenario=StoryName.AISTATION)
    node = Node.objects.filter(name=examples.STUDY_NODE).first()
    if node is not None:
        change = ChangeRequest(nodes=[{"like": node.pk, "count": 1}])
        studies.request_study(
            actor=admin, title=examples.STUDY_TITLE, days=examples.STUDY_DAYS, change=change
        )


def _serve() -> None:
    """Have a service to try, as its owner would create it; its replica starts with the next step of all services."""
    if Pool.objects.filter(name=organisation.SERVICES).exists():
        _create_service(examples.SERVICE)


@transaction.atomic
def serve_model(model: str) -> None:
    """Have a service with llama.cpp that serves a model, once: one that somebody has deleted stays so.

    Args:
        model: its file, as the node sees it.
    """
    image = organisation.build_llama_image()
    if not Image.objects.filter(name=image.name).exists():
        catalog.add_image(actor=Actor.system("seed"), image=image)
    body = {**examples.MODEL_SERVICE, "model": model}
    if not Service.objects.filter(name=body["name"], group__name=body["group"]).exists():
        _create_service(body)


def _create_service(body: dict[str, Any]) -> None:
    terms, spec = split_service(ServiceInput.parse_body(body))
    owner = _person(examples.SERVICE_OWNER)
    serving.create_service(actor=owner, group=body["group"], terms=terms, spec=spec)
