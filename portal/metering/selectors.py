"""Reads of the meter: amounts by period and subject, waits, and the weeks of the whole cluster."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from operator import add
from typing import Any, Final
from uuid import UUID

from django.db import connection

from portal.common.actions import Action
from portal.common.actor import Actor
from portal.common.errors import InvalidError
from portal.identity.models import User
from portal.inventory.models import Pool
from portal.metering.models import MeterProgress
from portal.quotas.prices import PriceList, load_prices_for_system
from portal.tenancy import policies
from portal.tenancy.models import Group
from portal.tenancy.selectors import group_visible_to, paths_for_system
from portal.workloads.column_lists import fill_columns

DAYS_MAX: Final = 1100
"""Days of one report: three years."""
ROWS_MAX: Final = 5000
"""Rows of one report."""
WEEKS_MAX: Final = 160
"""Weeks of the whole cluster in one answer."""
AMOUNTS: Final = (
    *("gpu_milli_ms", "fraction_milli_ms", "gpu_memory_mib_ms", "cpu_milli_ms", "memory_mib_ms"),
    *("sampled_milli_ms", "idle_milli_ms", "busy_milli_ms", "measured_milli_ms", "energy_mj"),
)
_IDLE: Final = AMOUNTS.index("idle_milli_ms")
GROUPINGS: Final = ("none", "group", "user", "pool", "model", "kind", "outcome")
GRANULARITIES: Final = ("total", "day", "week", "month")
Titles = dict[str, tuple[str, str]]
"""English and Chinese, by key."""
OTHER: Final = "other"
"""Key of the row of all subjects beyond `top`."""
_COLUMN_OF: Final = {
    "none": "''",
    "group": "group_id::text",
    "user": "user_id::text",
    "pool": "pool_id::text",
    "model": "model",
    "kind": "kind",
    "outcome": "outcome",
}
_PERIODS: Final = {
    "total": "%(first)s::date",
    "day": "day",
    "week": "date_trunc('week', day)::date",
    "month": "date_trunc('month', day)::date",
}
_READ: Final = fill_columns(
    """
SELECT {period}, {key}, {priced}, min(day), {sums}, sum(carbon_mg)::bigint
FROM metering_usageday WHERE {where} GROUP BY 1, 2, 3, 4
""",
    sums=", ".join(f"sum({name})::bigint" for name in AMOUNTS),
)
_TOP: Final = """
SELECT {key} FROM metering_usageday WHERE {where}
GROUP BY 1 ORDER BY sum(gpu_milli_ms) DESC, 1 LIMIT %(most)s
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class UsageQuestion:
    """Which days and whose use is asked for, and how it is arranged."""

    first_day: date
    last_day: date
    granularity: str = "total"
    group_by: str = "none"
    top: int | None = None
    """So many subjects by GPU time; the rest is one row. None is all of them."""
    group: UUID | None = None
    """With the groups below it."""
    user: UUID | None = None
    pool: UUID | None = None
    model: str | None = None
    kind: str | None = None
    outcome: str | None = None

    def require_valid(self) -> None:
        """Raise unless the days are in order and not too many.

        Raises:
            InvalidError: they are not.
        """
        if self.last_day < self.first_day:
            raise InvalidError("time_empty", pointer="/last_day")
        if (self.last_day - self.first_day).days >= DAYS_MAX:
            raise InvalidError("usage_too_long", pointer="/first_day", days=DAYS_MAX)


@dataclass(slots=True)
class UsageRow:
    """What one subject held in one period, and what that cost."""

    period: date
    key: str
    amounts: list[int] = field(default_factory=lambda: [0] * len(AMOUNTS))
    """In the order of `AMOUNTS`, of which GPU time is the first."""
    costs: dict[str, int] = field(default_factory=dict)
    """Millionths of each currency × milli × milliseconds of an hour's price."""
    idle_costs: dict[str, int] = field(default_factory=dict)
    carbon_mg: int | None = None
    """Of CO2e; None where nothing was measured, or the site had no carbon factor."""
    title_en: str = ""
    title_zh: str = ""
    has_subgroups: bool = False


@dataclass(frozen=True, slots=True)
class UsageReport:
    """The rows of an answer, with their sum and the moment up to which the meter has counted."""

    rows: list[UsageRow]
    total: UsageRow
    as_of: datetime | None


@dataclass(frozen=True, slots=True)
class _Scope:
    """A condition on the rows of the meter, with its parameters."""

    condition: str
    params: Mapping[str, Any]


def usage_visible_to(actor: Actor, question: UsageQuestion) -> UsageReport:
    """Return what was held and used, as far as the actor may see it.

    Raises:
        InvalidError: the answer would have too many rows.
    """
    question.require_valid()
    scope = _scope(actor, question)
    found = _read(question, scope, load_prices_for_system())
    if question.group_by == "group":
        found = _by_subgroup(found, _subgroups(actor, question.group))
        found = found if question.top is None else _only_top(found, question.top)
    rows = sorted(found, key=lambda row: (row.period, -row.amounts[0], row.key))
    if len(rows) > ROWS_MAX:
        raise InvalidError("usage_too_many_rows", pointer="/granularity", limit=ROWS_MAX)
    _add_titles(question.group_by, rows)
    total = _sum(question.first_day, "", rows)
    return UsageReport(rows, total, metered_until_for_system())


def metered_until_for_system() -> datetime | None:
    """Return the moment up to which the meter has counted; None before its first run."""
    row = MeterProgress.objects.first()
    return row.until if row else None


@dataclass(frozen=True, slots=True)
class WaitRow:
    """How long work waited for its first start: half, nine and nineteen of twenty waited no longer."""

    kind: str
    """Empty is all kinds together."""
    count: int
    p50_s: int
    p90_s: int
    p95_s: int
    longest_s: int


_WAITS: Final = """
SELECT coalesce(kind, ''), count(*),
    percentile_disc(ARRAY[0.5, 0.9, 0.95]) WITHIN GROUP (ORDER BY wait_ms), max(wait_ms)
FROM metering_workstart
WHERE day BETWEEN %(first)s AND %(last)s AND {condition}
GROUP BY GROUPING SETS ((), (kind)) HAVING count(*) > 0 ORDER BY 1
"""


def waits_visible_to(actor: Actor, question: UsageQuestion) -> list[WaitRow]:
    """Return the percentiles of the wait before the first start, by kind and of all."""
    question.require_valid()
    scope = _scope(actor, question)
    statement = fill_columns(_WAITS, condition=scope.condition)
    rows = _fetch(statement, _params(question, scope))
    return [
        WaitRow(kind, count, p50 // 1000, p90 // 1000, p95 // 1000, longest // 1000)
        for kind, count, (p50, p90, p95), longest in rows
    ]


@dataclass(frozen=True, slots=True)
class ClusterWeek:
    """One week of the whole cluster, and what it did with its GPUs."""

    week: date
    installed_ms: int
    """GPUs × milliseconds."""
    simulated_ms: int
    held_milli_ms: int
    sampled_milli_ms: int
    busy_milli_ms: int
    tasks: int
    """Training jobs that succeeded."""


_WEEKS: Final = """
SELECT week, sum(installed)::bigint, sum(simulated)::bigint, sum(held)::bigint,
    sum(sampled)::bigint, sum(busy)::bigint, sum(tasks)::bigint
FROM (
    SELECT date_trunc('week', day)::date AS week, gpu_ms AS installed,
        CASE WHEN is_simulated THEN gpu_ms ELSE 0 END AS simulated,
        0 AS held, 0 AS sampled, 0 AS busy, 0 AS tasks
    FROM metering_capacityday WHERE day >= %(first)s
    UNION ALL
    SELECT date_trunc('week', day)::date, 0, 0, gpu_milli_ms, sampled_milli_ms, busy_milli_ms, 0
    FROM metering_usageday WHERE day >= %(first)s
    UNION ALL
    SELECT date_trunc('week', ended_day)::date, 0, 0, 0, 0, 0, 1
    FROM metering_workstart
    WHERE ended_day >= %(first)s AND kind = 'training' AND ended_as = 'succeeded'
) part GROUP BY week ORDER BY week
"""


def cluster_weeks_visible_to(actor: Actor, today: date, weeks: int) -> list[ClusterWeek]:
    """Return the last weeks of the whole cluster, for those who see all of it."""
    policies.require(actor, Action.SITE_VIEW, None)
    first = today - timedelta(days=today.weekday() + 7 * (weeks - 1))
    return [ClusterWeek(*row) for row in _fetch(_WEEKS, {"first": first})]


def administered_groups(actor: Actor) -> frozenset[UUID] | None:
    """Return the groups whose members' use the actor may see; None is all of them."""
    if policies.can_see_everything(actor):
        return None
    may = policies.has_role_for
    return frozenset(group for group in actor.roles if may(actor, Action.USAGE_VIEW, group))


def _scope(actor: Actor, question: UsageQuestion) -> _Scope:
    """Return what the actor may see of what is asked for: own use, that of groups, or all."""
    conditions, params = [], dict[str, Any]()
    groups = administered_groups(actor)
    if groups is not None:
        own = "user_id = %(own)s"
        conditions.append(f"({own} OR group_id = ANY(%(groups)s))" if groups else own)
        params |= {"own": actor.user_id, "groups": list(groups)}
    if question.group is not None:
        group_visible_to(actor, question.group)
        conditions.append("group_id = ANY(%(below)s)")
        params["below"] = [
            key for key, path in paths_for_system().items() if question.group in path
        ]
    for name, column in (("user", "user_id"), ("pool", "pool_id"), ("kind", "kind")):
        if (value := getattr(question, name)) is not None:
            conditions.append(f"{column} = %({name})s")
            params[name] = value
    return _Scope(" AND ".join(conditions) or "true", params)


def _params(question: UsageQuestion, scope: _Scope) -> dict[str, Any]:
    return {**scope.params, "first": question.first_day, "last": question.last_day}


def _read(question: UsageQuestion, scope: _Scope, prices: PriceList) -> list[UsageRow]:
    """Sum up in the database, by subject, period and price; the prices are applied here."""
    key = _COLUMN_OF[question.group_by]
    params = _params(question, scope)
    where = f"day BETWEEN %(first)s AND %(last)s AND {scope.condition}"
    for name in ("model", "outcome"):
        if (value := getattr(question, name)) is not None:
            where += f" AND {name} = %({name})s"
            params[name] = value
    # Groups are summed up with their tree first.
    if question.top is not None and question.group_by != "group":
        params["top"] = _top_keys(key, where, params, question.top)
        key = f"CASE WHEN {key} = ANY(%(top)s) THEN {key} ELSE '{OTHER}' END"
    params["changes"] = prices.changes()
    priced = "model, width_bucket(day, %(changes)s::date[])" if params["changes"] else "'', 0"
    statement = fill_columns(
        _READ, period=_PERIODS[question.granularity], key=key, priced=priced, where=where
    )
    rows = _fetch(statement, params)
    found: dict[tuple[date, str], UsageRow] = {}
    for period, subject, model, _, day, *sums, carbon_mg in rows:
        part = UsageRow(period, subject, sums, carbon_mg=carbon_mg)
        if (price := prices.find(model, day)) is not None:
            part.costs = {price.currency: price.hourly_micros * sums[0]}
            part.idle_costs = {price.currency: price.hourly_micros * sums[_IDLE]}
        known = found.setdefault((period, subject), part)
        if known is not part:
            _add(known, part)
    return list(found.values())


def _top_keys(key: str, where: str, params: Mapping[str, Any], top: int) -> list[str]:
    statement = fill_columns(_TOP, key=key, where=where)
    rows = _fetch(statement, {**params, "most": top})
    return [name for (name,) in rows]


def _subgroups(actor: Actor, group: UUID | None) -> Mapping[str, str]:
    """Return, for each group, the one by whose row its use is shown.

    These are the direct children of the group that is asked for; without one, of the root for those
    who see all, and else the uppermost groups that the actor belongs to.
    """
    paths = paths_for_system()
    visible = policies.visible_group_ids(actor)
    found: dict[str, str] = {}
    for key, path in paths.items():
        if group is not None:
            at = path.index(group) + 1 if group in path else None
        elif visible is None:
            at = 1
        else:
            at = next((place for place, each in enumerate(path) if each in visible), None)
        if at is not None:
            found[str(key)] = str(path[min(at, len(path) - 1)])
    return found


def _by_subgroup(rows: Iterable[UsageRow], shown_as: Mapping[str, str]) -> list[UsageRow]:
    found: dict[tuple[date, str], list[UsageRow]] = defaultdict(list)
    for row in rows:
        found[row.period, shown_as.get(row.key, row.key)].append(row)
    return [_sum(period, key, some) for (period, key), some in found.items()]


def _only_top(rows: Sequence[UsageRow], top: int) -> list[UsageRow]:
    """Keep the subjects with the most GPU time; all others become one row of each period."""
    held: dict[str, int] = defaultdict(int)
    for row in rows:
        held[row.key] += row.amounts[0]
    named = sorted(held, key=lambda key: (-held[key], key))[:top]
    return _by_subgroup(rows, {key: key if key in named else OTHER for key in held})


def _sum(period: date, key: str, rows: Sequence[UsageRow]) -> UsageRow:
    total = UsageRow(period, key)
    for row in rows:
        _add(total, row)
    return total


def _add(total: UsageRow, row: UsageRow) -> None:
    total.amounts = list(map(add, total.amounts, row.amounts))
    if row.carbon_mg is not None:
        total.carbon_mg = (total.carbon_mg or 0) + row.carbon_mg
    for sums, costs in ((total.costs, row.costs), (total.idle_costs, row.idle_costs)):
        for currency, cost in costs.items():
            sums[currency] = sums.get(currency, 0) + cost


def _add_titles(group_by: str, rows: Sequence[UsageRow]) -> None:
    keys = [UUID(row.key) for row in rows if group_by in _TITLES and row.key != OTHER]
    titles = _TITLES[group_by](keys) if group_by in _TITLES else {}
    below = Group.objects.filter(parent_id__in=keys if group_by == "group" else [])
    parents = {str(key) for key in below.values_list("parent_id", flat=True)}
    for row in rows:
        row.title_en, row.title_zh = titles.get(row.key, (row.key, row.key))
        row.has_subgroups = row.key in parents


def _titles_of_users(keys: Sequence[UUID]) -> Titles:
    rows = User.objects.filter(pk__in=keys).values_list("pk", "display_name", "username")
    return _by_key((key, name or account, name or account) for key, name, account in rows)


def _titles_of_groups(keys: Sequence[UUID]) -> Titles:
    return _by_key(Group.objects.filter(pk__in=keys).values_list("pk", "title_en", "title_zh"))


def _titles_of_pools(keys: Sequence[UUID]) -> Titles:
    return _by_key(Pool.objects.filter(pk__in=keys).values_list("pk", "title_en", "title_zh"))


def _by_key(rows: Iterable[tuple[UUID, str, str]]) -> Titles:
    return {str(key): (english, chinese) for key, english, chinese in rows}


_TITLES: Final[Mapping[str, Callable[[Sequence[UUID]], Titles]]] = {
    "group": _titles_of_groups,
    "user": _titles_of_users,
    "pool": _titles_of_pools,
}


def _fetch(statement: str, params: Mapping[str, Any]) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(statement, params)
        return list(cursor.fetchall())
