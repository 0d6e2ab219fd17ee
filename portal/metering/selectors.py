"""Reads of the meter: amounts by period and subject, and waits."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from operator import add
from typing import Any, Final
from uuid import UUID

from django.db import connection

from portal.common.actions import Action
from portal.common.actor import Actor
from portal.common.errors import InvalidError
from portal.common.postgresql.column_lists import fill_columns
from portal.metering.ledger import MONDAY
from portal.metering.models import MeterProgress
from portal.metering.spans import Spans, split_days
from portal.metering.titles import OTHER, find_titles
from portal.quotas.prices import PriceList, load_prices_for_system
from portal.tenancy import policies
from portal.tenancy.selectors import group_visible_to, paths_for_system

DAYS_MAX: Final = 1100
"""Days of one report: three years."""
ROWS_MAX: Final = 5000
"""Rows of one report."""
AMOUNTS: Final = (
    *("gpu_milli_ms", "fraction_milli_ms", "gpu_memory_mib_ms", "cpu_milli_ms", "memory_mib_ms"),
    *("sampled_milli_ms", "idle_milli_ms", "busy_milli_ms", "measured_milli_ms", "energy_mj"),
)
_IDLE: Final = AMOUNTS.index("idle_milli_ms")
GROUPINGS: Final = ("none", "group", "user", "pool", "model", "kind", "outcome")
GRANULARITIES: Final = ("total", "day", "week", "month")
_COLUMN_OF: Final = {
    "none": "''",
    "group": "group_id",
    "user": "user_id",
    "pool": "pool_id",
    "model": "model",
    "kind": "kind",
    "outcome": "outcome",
}
_PERIODS: Final = {
    "total": "%(first)s::date",
    "day": "day",
    "week": fill_columns(MONDAY, day="day"),
    "month": "date_trunc('month', day)::date",
}
_OF_WEEKS: Final = ("none", "group", "user", "model")
"""What the sums of weeks tell apart."""
_OF_GROUP_DAYS: Final = ("none", "group", "model")
"""What the sums of days by group tell apart."""
_FROM_DAYS: Final = "(SELECT * FROM {table} WHERE day BETWEEN %(first)s AND %(last)s) part"
_FROM_BOTH: Final = """(
    SELECT week AS day, {names} FROM metering_usageweek WHERE week = ANY(%(weeks)s)
    UNION ALL SELECT day, {names} FROM {table} WHERE day = ANY(%(days)s)) part"""
_READ: Final = fill_columns(
    """
SELECT period, coalesce(subject::text, '{other}'), model, price, first, {names}, carbon_mg
FROM (
    SELECT {period} AS period, {key} AS subject, {priced}, min(day) AS first, {sums},
        sum(carbon_mg)::bigint AS carbon_mg
    FROM {source} WHERE {where} GROUP BY 1, 2, 3, 4) summed
""",
    other=OTHER,
    names=", ".join(AMOUNTS),
    sums=", ".join(f"sum({name})::bigint AS {name}" for name in AMOUNTS),
)
_TOP: Final = """
SELECT {key} FROM {source} WHERE {where}
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
    tells_people_apart: bool


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
    titles = find_titles(question.group_by, {row.key for row in rows})
    for row in rows:
        row.title_en, row.title_zh, row.has_subgroups = titles[row.key]
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


# Waits are counted by the second first: to sort them all costs more than all else.
_WAITS: Final = """
WITH counted AS (
    SELECT kind, wait_ms / 1000 AS wait_s, count(*) AS count
    FROM metering_workstart
    WHERE day BETWEEN %(first)s AND %(last)s AND {condition} GROUP BY 1, 2
), summed AS (
    SELECT coalesce(kind, '') AS kind, wait_s, sum(count)::bigint AS count
    FROM counted GROUP BY GROUPING SETS ((wait_s), (kind, wait_s))
), ranked AS (
    SELECT kind, wait_s, sum(count) OVER (PARTITION BY kind ORDER BY wait_s) AS upto,
        sum(count) OVER (PARTITION BY kind)::bigint AS total
    FROM summed
)
SELECT kind, total, {percentiles}, max(wait_s) FROM ranked GROUP BY kind, total ORDER BY kind
"""
_PERCENTILES: Final = ", ".join(
    f"min(wait_s) FILTER (WHERE upto * 100 >= total * {percent})" for percent in (50, 90, 95)
)


def waits_visible_to(actor: Actor, question: UsageQuestion) -> list[WaitRow]:
    """Return the percentiles of the wait before the first start, by kind and of all."""
    question.require_valid()
    scope = _scope(actor, question)
    statement = fill_columns(_WAITS, condition=scope.condition, percentiles=_PERCENTILES)
    params = {**scope.params, "first": question.first_day, "last": question.last_day}
    return [WaitRow(*row) for row in _fetch(statement, params)]


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
    tells_people_apart = groups is not None or question.user is not None
    return _Scope(" AND ".join(conditions) or "true", params, tells_people_apart)


def _read(question: UsageQuestion, scope: _Scope, prices: PriceList) -> list[UsageRow]:
    """Sum up in the database, by subject, period and price; the prices are applied here."""
    key, where = _COLUMN_OF[question.group_by], scope.condition
    params = {**scope.params, "first": question.first_day, "last": question.last_day}
    for name in ("model", "outcome"):
        if (value := getattr(question, name)) is not None:
            where += f" AND {name} = %({name})s"
            params[name] = value
    params["changes"] = prices.changes()
    priced = (
        "model, width_bucket(day, %(changes)s::date[])" if params["changes"] else "'' AS model, 0"
    )
    spans = _spans(question, params["changes"])
    params |= {"weeks": spans.weeks, "days": spans.days}
    source = _source(question, scope, spans)
    # Groups are summed up with their tree first.
    if question.top is not None and question.group_by != "group":
        statement = fill_columns(_TOP, key=key, source=source, where=where)
        params["top"] = [name for (name,) in _fetch(statement, {**params, "most": question.top})]
        key = f"CASE WHEN {key} = ANY(%(top)s) THEN {key} END"
    statement = fill_columns(
        _READ,
        period=_PERIODS[question.granularity],
        key=key,
        priced=f"{priced} AS price",
        source=source,
        where=where,
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


def _spans(question: UsageQuestion, changes: Collection[date]) -> Spans:
    """Return what is read: days only where the sums of weeks do not tell apart what is asked for."""
    by_weeks = question.group_by in _OF_WEEKS and not _is_narrow(question)
    granularity = question.granularity if by_weeks else "day"
    return split_days(question.first_day, question.last_day, granularity, changes)


def _source(question: UsageQuestion, scope: _Scope, spans: Spans) -> str:
    """Return where the sums are read: those of days by group, where these tell apart what is asked for."""
    by_group = question.group_by in _OF_GROUP_DAYS and not _is_narrow(question)
    table, names = "metering_usageday", ["group_id", "user_id", "model", *AMOUNTS, "carbon_mg"]
    if by_group and not scope.tells_people_apart:
        table = "metering_usagegroupday"
        names.remove("user_id")
    return fill_columns(
        _FROM_BOTH if spans.weeks else _FROM_DAYS, table=table, names=", ".join(names)
    )


def _is_narrow(question: UsageQuestion) -> bool:
    """Return whether only a part is asked for that no sums tell apart."""
    return any(each is not None for each in (question.pool, question.kind, question.outcome))


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


def _fetch(statement: str, params: Mapping[str, Any]) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(statement, params)
        return list(cursor.fetchall())
