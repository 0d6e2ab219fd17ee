"""Endpoints of usage: everyone sees their own, heads that of their groups, staff all of it."""

from collections.abc import Mapping
from datetime import date
from typing import Any
from uuid import UUID

from drf_spectacular.utils import extend_schema
from rest_framework.response import Response

from portal.common.actions import Action
from portal.common.clock import now
from portal.common.rest.projection import project
from portal.common.rest.rendering import OrjsonRenderer
from portal.common.rest.serializers import NoFilters
from portal.common.rest.views import ApiRequest, ApiView
from portal.metering import selectors
from portal.metering.api.renderers import ReportCsvRenderer, ReportPdfRenderer, UsageCsvRenderer
from portal.metering.api.serializers import (
    WEEKS_DEFAULT,
    ClusterWeekQuery,
    ClusterWeeksShape,
    ListedUseQuery,
    ListedUsesShape,
    MemberUseShape,
    ReportQuery,
    ReportShape,
    UsageQuery,
    UsageShape,
    UsageWaitQuery,
    WaitsShape,
    WorkUseShape,
)
from portal.metering.cluster_weeks import cluster_weeks_visible_to
from portal.metering.listed_use import listed_use_visible_to
from portal.metering.member_use import member_use_visible_to
from portal.metering.report import month_report
from portal.metering.selectors import AMOUNTS, UsageQuestion, UsageRow
from portal.metering.work_use import work_use_visible_to
from portal.quotas.prices import format_micros, round_cost
from portal.site.selectors import settings_for_system

_FIELDS = tuple(name.replace("_ms", "_s").replace("_mj", "_j") for name in AMOUNTS)
_MILLI = 1000


class UsageListView(ApiView):
    """What was held and used, by day, and what it cost."""

    required_actions = {"GET": Action.USAGE_VIEW}
    renderer_classes = (OrjsonRenderer, UsageCsvRenderer)
    is_paged = False
    refuses_questions = True

    @extend_schema(parameters=[UsageQuery], responses=UsageShape)
    def get(self, request: ApiRequest) -> Response:
        """Return GPU, CPU and memory time by period and group, user, pool, model, kind or outcome."""
        asked = UsageQuery.parse(request)
        asked.pop("language", None)
        question = UsageQuestion(**_with_days(asked))
        found = selectors.usage_visible_to(request.actor, question)
        shown = {
            "first_day": question.first_day.isoformat(),
            "last_day": question.last_day.isoformat(),
            "as_of": found.as_of,
            "rows": [_row(row) for row in found.rows],
            "total": _row(found.total),
        }
        name = f"usage-{question.first_day}-{question.last_day}"
        return Response(shown, headers=_as_file(request, name))


class UsageWaitsView(ApiView):
    """How long work waited."""

    required_actions = {"GET": Action.USAGE_VIEW}
    is_paged = False
    refuses_questions = True

    @extend_schema(parameters=[UsageWaitQuery], responses=WaitsShape)
    def get(self, request: ApiRequest) -> Response:
        """Return percentiles of the wait before the first start."""
        question = UsageQuestion(**_with_days(UsageWaitQuery.parse(request)))
        rows = selectors.waits_visible_to(request.actor, question)
        shown = {"first_day": question.first_day, "last_day": question.last_day, "rows": rows}
        return Response(WaitsShape(shown).data)


class WorkUseView(ApiView):
    """The energy of one workload."""

    required_actions = {"GET": Action.WORKLOAD_VIEW}
    is_paged = False

    @extend_schema(responses=WorkUseShape)
    def get(self, request: ApiRequest, workload_id: UUID) -> Response:
        """Return the GPU time of a workload and its energy, up to an hour ago."""
        NoFilters.parse(request)
        found = work_use_visible_to(request.actor, workload_id)
        shown = {
            "gpu_milli_s": found.gpu_milli_ms // _MILLI,
            "measured_milli_s": found.measured_milli_ms // _MILLI,
            "energy_j": _thousandth(found.energy_mj),
            "carbon_g": _thousandth(found.carbon_mg),
        }
        return Response(project(WorkUseShape, shown))


class MemberUseView(ApiView):
    """What the members of one group held of late."""

    required_actions = {"GET": Action.USAGE_VIEW}
    is_paged = False

    @extend_schema(responses=MemberUseShape(many=True))
    def get(self, request: ApiRequest, group_id: UUID) -> Response:
        """Return each member's GPU time of 7 and 30 days and last sign-in, for who looks after the group."""
        NoFilters.parse(request)
        rows = [
            {
                "user": row.user_id,
                "week_gpu_milli_s": row.week_gpu_milli_ms // _MILLI,
                "month_gpu_milli_s": row.month_gpu_milli_ms // _MILLI,
                "last_sign_in_at": row.last_sign_in_at,
            }
            for row in member_use_visible_to(request.actor, group_id, _today())
        ]
        return Response(MemberUseShape(rows, many=True).data)


class ListedUseView(ApiView):
    """What several workloads held."""

    required_actions = {"GET": Action.WORKLOAD_VIEW}
    is_paged = False

    @extend_schema(parameters=[ListedUseQuery], responses=ListedUsesShape)
    def get(self, request: ApiRequest) -> Response:
        """Return nodes, GPU time, mean use and cost of each, as far as the caller may see them."""
        asked = ListedUseQuery.parse(request)
        uses = [
            {
                "workload": each.workload,
                "nodes": each.nodes,
                "gpu_milli_s": each.gpu_milli_ms // _MILLI,
                "use_pct": each.use_pct,
                "costs": _money(each.costs),
            }
            for each in listed_use_visible_to(request.actor, asked["ids"])
        ]
        return Response(project(ListedUsesShape, {"uses": uses}))


class UsageWeeksView(ApiView):
    """The whole cluster week by week."""

    required_actions = {"GET": Action.SITE_VIEW}
    is_paged = False

    @extend_schema(parameters=[ClusterWeekQuery], responses=ClusterWeeksShape)
    def get(self, request: ApiRequest) -> Response:
        """Return installed, held and busy GPU time, and succeeded jobs, of each week."""
        asked = ClusterWeekQuery.parse(request)
        weeks = cluster_weeks_visible_to(request.actor, _today(), asked.get("weeks", WEEKS_DEFAULT))
        rows = [
            {
                "week": row.week,
                "gpu_s": row.installed_ms // _MILLI,
                "simulated_gpu_s": row.simulated_ms // _MILLI,
                "held_milli_s": row.held_milli_ms // _MILLI,
                "sampled_milli_s": row.sampled_milli_ms // _MILLI,
                "busy_milli_s": row.busy_milli_ms // _MILLI,
                "tasks": row.tasks,
            }
            for row in weeks
        ]
        as_of = selectors.metered_until_for_system()
        return Response(ClusterWeeksShape({"as_of": as_of, "weeks": rows}).data)


class UsageReportView(ApiView):
    """The report of a month."""

    required_actions = {"GET": Action.USAGE_VIEW}
    renderer_classes = (OrjsonRenderer, ReportCsvRenderer, ReportPdfRenderer)
    is_paged = False
    refuses_questions = True

    @extend_schema(parameters=[ReportQuery], responses=ReportShape)
    def get(self, request: ApiRequest) -> Response:
        """Return who held what in a month and what it cost: JSON, CSV or PDF."""
        asked, today = ReportQuery.parse(request), _today()
        month = date.fromisoformat(f"{asked.get('month', today.isoformat()[:7])}-01")
        found = month_report(request.actor, month, asked.get("group"), today)
        shown = {
            "first_day": found.first_day.isoformat(),
            "last_day": found.last_day.isoformat(),
            "as_of": found.as_of.isoformat() if found.as_of else None,
            "is_closed": found.is_closed,
            "total": _row(found.total),
            "sections": {
                name: [_row(row) for row in rows] for name, rows in found.sections.items()
            },
            "waits": [{name: getattr(row, name) for name in row.__slots__} for row in found.waits],
        }
        return Response(shown, headers=_as_file(request, f"usage-{month.isoformat()[:7]}"))


def _with_days(asked: dict[str, Any]) -> dict[str, Any]:
    """Fill in the present month where no days are asked for."""
    last = asked.get("last_day") or _today()
    return {"first_day": last.replace(day=1), **asked, "last_day": last}


def _thousandth(amount: int | None) -> int | None:
    return None if amount is None else amount // _MILLI


def _today() -> date:
    return settings_for_system().days.day_of(now())


def _row(row: UsageRow) -> dict[str, Any]:
    """Return one row with its amounts in seconds and joules and its money as decimal numbers."""
    amounts = {name: each // _MILLI for name, each in zip(_FIELDS, row.amounts, strict=True)}
    return {
        "period": row.period.isoformat(),
        "key": row.key,
        "title_en": row.title_en,
        "title_zh": row.title_zh,
        "has_subgroups": row.has_subgroups,
        **amounts,
        "energy_j": amounts["energy_j"] if amounts["measured_milli_s"] else None,
        "carbon_g": _thousandth(row.carbon_mg),
        "costs": _money(row.costs),
        # Without samples nothing is known, which is not the same as nothing.
        "idle_costs": _money(row.idle_costs) if amounts["sampled_milli_s"] else [],
    }


def _money(costs: Mapping[str, int]) -> list[dict[str, str]]:
    return [
        {"currency": currency, "amount": format_micros(round_cost(cost))}
        for currency, cost in sorted(costs.items())
    ]


def _as_file(request: ApiRequest, name: str) -> dict[str, str]:
    """Return the header that lets a browser keep the answer as a file, if it is one."""
    kind = request.accepted_renderer.format
    if kind == "json":
        return {}
    return {"Content-Disposition": f'attachment; filename="{name}.{kind}"'}
