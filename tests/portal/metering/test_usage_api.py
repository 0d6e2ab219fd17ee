"""Usage by REST: whose use each role sees, what it costs, files; prices never change the past."""

import csv
import io
import re
import zlib
from base64 import a85decode
from datetime import UTC, date, datetime, timedelta
from typing import Any
from uuid import UUID

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from portal.audit.models import AuditEvent
from portal.common.clock import freeze
from portal.common.ids import new_id
from portal.identity.models import User
from portal.metering.models import WorkStart
from portal.quotas.models import GpuPrice
from portal.site.models import SiteSettings
from tests.builders.machines import a_pool
from tests.builders.people import a_group, a_member, a_root, a_user
from tests.builders.usage import HOUR_MS, used
from tests.rest import API, browser, json_of, problem_of

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("redis_url")]

NOON = datetime(2030, 5, 15, 12, tzinfo=UTC)
DAYS = "first_day=2030-05-01&last_day=2030-05-31"


def usage(user: User, query: str = "") -> Any:
    with freeze(NOON):
        return json_of(browser(user).get(f"{API}/usage?{DAYS}&{query}"))


def hours(shown: Any) -> dict[str, int]:
    return {row["title_en"]: row["gpu_milli_s"] // 3_600_000 for row in shown["rows"]}


def test_everyone_sees_what_their_role_lets_them_see() -> None:
    above = a_group("lab")
    group, other = a_group("vision", parent=above), a_group("speech", parent=above)
    foreign = a_group("robots")
    member, colleague = a_member(group), a_member(other)
    head, stranger = a_member(above, "group_admin"), a_member(foreign)
    for user, where, amount in (
        (member, group, 1),
        (colleague, other, 2),
        (stranger, foreign, 4),
    ):
        used(user, where, amount)

    def total(user: User) -> int:
        held: int = usage(user)["total"]["gpu_milli_s"]
        return held // 3_600_000

    assert [total(user) for user in (member, colleague, stranger, head)] == [1, 2, 4, 3]
    staff = [a_user(role=role) for role in ("auditor", "operator", "platform_admin")]
    assert [total(user) for user in staff] == [7, 7, 7]
    assert total(a_user()) == 0
    with freeze(NOON):
        problem_of(browser(member).get(f"{API}/usage?group={foreign.pk}"), 404, "not_found")
    assert usage(head, f"group={group.pk}")["total"]["gpu_milli_s"] // 3_600_000 == 1
    # A member's own part of a group, not that of the colleagues.
    assert usage(member, f"group={group.pk}&user={colleague.pk}")["rows"] == []


def test_groups_are_summed_up_with_their_tree() -> None:
    above = a_group("lab")
    group, other = a_group("vision", parent=above), a_group("speech", parent=above)
    single = a_group("robots")
    used(a_member(group), group, 1)
    used(a_member(other), other, 2)
    used(a_member(single), single, 4)
    admin = a_user(role="platform_admin")

    top = usage(admin, "group_by=group")
    assert hours(top) == {"Robots": 4, "Lab": 3}
    assert [row["has_subgroups"] for row in top["rows"]] == [False, True]
    assert hours(usage(admin, f"group_by=group&group={above.pk}")) == {"Speech": 2, "Vision": 1}
    assert hours(usage(admin, f"group_by=group&group={a_root().pk}")) == hours(top)
    assert hours(usage(admin, "group_by=group&top=1")) == {"Robots": 4, "All others": 3}
    # The head of a group below sees it as the uppermost one.
    head = a_member(above, "group_admin")
    assert hours(usage(head, "group_by=group")) == {"Lab": 3}


def test_use_is_summed_up_by_period_and_subject() -> None:
    group, pool = a_group(), a_pool("training")
    one, two = a_member(group, username="one"), a_member(group, username="two")
    admin = a_user(role="platform_admin")
    used(one, group, 1, pool=pool.pk)
    used(one, group, 2, day=date(2030, 5, 13), pool=pool.pk, model="", kind="environment")
    used(two, group, 4, day=date(2030, 5, 17), pool=pool.pk, outcome="preempted")
    used(two, group, 8, day=date(2030, 4, 30), pool=pool.pk)

    weeks = usage(admin, "granularity=week")["rows"]
    assert [(row["period"], row["gpu_milli_s"] // 3_600_000) for row in weeks] == [
        ("2030-05-06", 1),
        ("2030-05-13", 6),
    ]
    assert hours(usage(admin, "group_by=user")) == {"Two": 4, "One": 3}
    assert hours(usage(admin, "group_by=pool")) == {"Training": 7}
    assert hours(usage(admin, "group_by=model")) == {"H100": 5, "Without a GPU": 2}
    assert hours(usage(admin, "group_by=kind")) == {"Jobs": 5, "Notebooks": 2}
    assert hours(usage(admin, "group_by=outcome")) == {"Evicted for other work": 4, "Succeeded": 3}
    assert hours(usage(admin, "group_by=user&outcome=completed&model=H100")) == {"One": 1}
    assert hours(usage(admin, "group_by=user&granularity=day&top=1")) == {"All others": 2, "Two": 4}
    row = usage(admin, "group_by=user")["rows"][0]
    assert row["idle_milli_s"] * 2 == row["busy_milli_s"] * 4 == row["sampled_milli_s"]


def test_a_question_that_is_too_large_is_refused() -> None:
    client = browser(a_user(role="auditor"))
    problem_of(client.get(f"{API}/usage?first_day=2020-01-01&last_day=2030-01-01"), 422,
               "usage_too_long")  # fmt: skip
    problem_of(client.get(f"{API}/usage?first_day=2030-02-01&last_day=2030-01-01"), 422,
               "time_empty")  # fmt: skip


def test_prices_hold_from_their_day_and_never_change_a_month_that_is_over() -> None:
    group = a_group()
    member, admin = a_member(group), a_user(role="platform_admin")
    client = browser(admin)

    def set_price(valid_from: str, micros: int, at: datetime = NOON) -> Any:
        body = {"model": "H100", "valid_from": valid_from, "hourly_micros": micros}
        with freeze(at):
            return client.post(f"{API}/gpu-prices", body, format="json")

    assert json_of(client.get(f"{API}/gpu-prices"))["prices"] == []
    json_of(set_price("2030-05-01", 2_500_000), 201)
    json_of(set_price("2030-05-14", 4_000_000), 201)
    used(member, group, 2)
    used(member, group, 3, day=date(2030, 5, 14))
    used(member, group, 1, day=date(2030, 5, 14), model="unpriced")

    row = usage(member)["total"]
    assert row["costs"] == [{"currency": "CNY", "amount": "17.00"}]
    assert row["idle_costs"] == [{"currency": "CNY", "amount": "8.50"}]

    # In June May is over: no price of it is set, or taken away.
    june = NOON + timedelta(days=30)
    problem_of(set_price("2030-05-20", 1, june), 422, "price_in_closed_month")
    with freeze(june):
        shown = json_of(client.get(f"{API}/gpu-prices"))
        assert [row["may_remove"] for row in shown["prices"]] == [False, False]
        assert shown["prices"][0]["valid_until"] == "2030-05-14"
        address = f"{API}/gpu-prices/{shown['prices'][0]['id']}"
        problem_of(client.delete(address), 409, "price_was_used")
    json_of(set_price("2030-06-20", 9_000_000, june), 201)
    problem_of(set_price("2030-06-20", 9_000_000, june), 409, "price_exists")
    assert usage(member)["total"]["costs"] == [{"currency": "CNY", "amount": "17.00"}]
    actions = AuditEvent.objects.filter(action="price.set").values_list("params__hourly", flat=True)
    assert list(actions.order_by("id")) == ["2.50", "4.00", "9.00"]


def test_only_administrators_set_prices_and_a_price_keeps_its_currency() -> None:
    admin = a_user(role="platform_admin")
    body = {"model": "H100", "valid_from": "2030-05-20", "hourly_micros": 1}
    for role in ("", "auditor", "operator"):
        with freeze(NOON):
            refused = browser(a_user(role=role)).post(f"{API}/gpu-prices", body, format="json")
        problem_of(refused, 403, "denied")
    client = browser(admin)
    with freeze(NOON):
        first = json_of(client.post(f"{API}/gpu-prices", body, format="json"), 201)
        json_of(client.patch(f"{API}/site-settings", {"currency": "EUR"}, format="json"))
        body["valid_from"] = "2030-05-21"
        second = json_of(client.post(f"{API}/gpu-prices", body, format="json"), 201)
        assert client.delete(f"{API}/gpu-prices/{second['id']}").status_code == 204
    assert (first["currency"], second["currency"]) == ("CNY", "EUR")
    assert SiteSettings.objects.get().currency == "EUR"
    assert GpuPrice.objects.get().pk == UUID(first["id"])


def test_usage_is_a_file_for_spreadsheets() -> None:
    group = a_group()
    user = a_member(group)
    User.objects.filter(pk=user.pk).update(display_name="=1+1")
    used(user, group, 3)
    GpuPrice.objects.create(
        model="H100", valid_from=date(2030, 1, 1), hourly_micros=10_000, currency="CNY"
    )

    answer = browser(user).get(f"{API}/usage?{DAYS}&group_by=user", HTTP_ACCEPT="text/csv")
    same = browser(user).get(f"{API}/usage?{DAYS}&group_by=user&format=csv")

    assert answer["Content-Type"] == "text/csv; charset=utf-8"
    assert "usage-2030-05-01-2030-05-31.csv" in answer["Content-Disposition"]
    assert answer.content == same.content
    (row,) = csv.DictReader(io.StringIO(answer.content.decode("utf-8-sig")))
    assert (row["title"], row["gpu_h"], row["cost"]) == ("'=1+1", "3.000000", "0.03")
    refused = browser(user).get(f"{API}/usage?top=0", HTTP_ACCEPT="text/csv")
    assert refused.status_code == 400
    assert b'"code"' in refused.content


def test_energy_and_carbon_are_in_answers_and_files_and_unknown_is_empty() -> None:
    group = a_group()
    one, two = a_member(group, username="one"), a_member(group, username="two")
    kwh = 3_600_000_000
    used(one, group, 4, measured_milli_ms=3 * HOUR_MS, energy_mj=5 * kwh, carbon_mg=2_100_500)
    used(one, group, 1, measured_milli_ms=HOUR_MS, energy_mj=kwh, model="A100")
    used(two, group, 3)
    admin = a_user(role="auditor")

    found = usage(admin, "group_by=user")
    names = ("energy_j", "carbon_g", "measured_milli_s")
    assert [tuple(row[name] for name in names) for row in found["rows"]] == [
        (21_600_000, 2100, 4 * 3_600_000),
        (None, None, 0),
    ]
    assert tuple(found["total"][name] for name in names[:2]) == (21_600_000, 2100)

    with freeze(NOON):
        client = browser(admin)
        sheet = client.get(f"{API}/usage?{DAYS}&group_by=user&format=csv")
        report = client.get(f"{API}/usage/report?month=2030-05&format=csv")
        page = client.get(f"{API}/usage/report?month=2030-05&format=pdf&language=en")
    lines = list(csv.DictReader(io.StringIO(sheet.content.decode("utf-8-sig"))))
    assert [(line["energy_kwh"], line["carbon_kg"]) for line in lines] == [
        ("6.000000", "2.100000"),
        ("", ""),
    ]
    models = {
        line["key"]: (line["energy_kwh"], line["carbon_kg"])
        for line in csv.DictReader(io.StringIO(report.content.decode("utf-8-sig")))
        if line["section"] == "model"
    }
    assert models == {"H100": ("5.000000", "2.100000"), "A100": ("1.000000", "")}
    assert b"6.0 kWh were measured at the GPUs, 2.1 kg CO2e" in pdf_text(page.content)


def pdf_text(content: bytes) -> bytes:
    """Return what a PDF writes with two bytes a letter, as far as it is Latin."""
    streams = re.findall(rb"stream\r?\n(.*?)endstream", content, re.DOTALL)
    pages = [zlib.decompress(a85decode(each.strip(), adobe=True)) for each in streams]
    text = b" ".join(pages)
    return text.replace(rb"\000", b"").replace(b"\x00", b"")


def test_waits_are_percentiles_of_first_starts() -> None:
    group = a_group()
    user = a_member(group)
    WorkStart.objects.bulk_create(
        WorkStart(
            workload_id=new_id(),
            group_id=group.pk,
            user_id=user.pk,
            pool_id=new_id(),
            kind="training",
            day=date(2030, 5, 10),
            wait_ms=number * 1000,
            ended_as="",
        )
        for number in range(1, 101)
    )

    shown = json_of(browser(user).get(f"{API}/usage/waits?{DAYS}"))

    assert shown["rows"] == [
        {"kind": kind, "count": 100, "p50_s": 50, "p90_s": 90, "p95_s": 95, "longest_s": 100}
        for kind in ("", "training")
    ]
    other = browser(a_user()).get(f"{API}/usage/waits?{DAYS}")
    assert json_of(other)["rows"] == []


def test_weeks_of_the_cluster_are_for_those_who_see_all_of_it() -> None:
    group = a_group()
    user = a_member(group)
    used(user, group, 84)
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO metering_capacityday (day, pool_id, model, is_simulated, gpu_ms)"
            " VALUES ('2030-05-08', gen_random_uuid(), 'H100', true, 604800000)"
        )
    WorkStart.objects.create(
        workload_id=new_id(), group_id=group.pk, user_id=user.pk, pool_id=new_id(),
        kind="training", day=date(2030, 5, 9), wait_ms=0, ended_day=date(2030, 5, 10),
        ended_as="succeeded",
    )  # fmt: skip

    with freeze(NOON):
        problem_of(browser(user).get(f"{API}/usage/weeks"), 403, "denied")
        shown = json_of(browser(a_user(role="auditor")).get(f"{API}/usage/weeks?weeks=3"))

    (week,) = shown["weeks"]
    assert week["week"] == "2030-05-06"
    assert (week["gpu_s"], week["simulated_gpu_s"]) == (604_800, 604_800)
    assert week["held_milli_s"] == 84 * 3_600_000
    assert week["tasks"] == 1


def test_the_number_of_statements_does_not_grow_with_the_rows() -> None:
    admin = browser(a_user(role="platform_admin"))
    queries = f"{API}/usage?{DAYS}&group_by=user&granularity=day&top=3"

    def statements() -> int:
        with (
            CaptureQueriesContext(
                connection,
            ) as captured,
            freeze(NOON),
        ):
            json_of(admin.get(queries))
        return len(captured)

    group = a_group()
    used(a_member(group), group, 1)
    statements()
    few = statements()
    for _ in range(12):
        used(a_member(group), group, 1)
    assert statements() == few <= 14
