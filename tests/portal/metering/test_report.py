"""The report of a month: one set of figures as page, CSV and PDF, for every role what it may see."""

import base64
import csv
import io
import re
import zlib
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest
from reportlab.lib.units import mm
from reportlab.pdfbase import pdfmetrics

from portal.common.clock import freeze
from portal.common.ids import new_id
from portal.common.translations import translate
from portal.metering.models import MeterProgress, WorkStart
from portal.metering.report_charts import BARS_MAX, draw_bars
from portal.metering.report_files import (
    FONT,
    GRID_PT,
    PADDING_PT,
    PRINTED_MM,
    report_csv,
    report_pdf,
)
from portal.quotas.models import GpuPrice
from tests.builders.machines import a_pool
from tests.builders.people import a_group, a_member, a_user
from tests.builders.usage import HOUR_MS, used
from tests.rest import API, browser, json_of

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("redis_url")]

NOON = datetime(2030, 5, 15, 12, tzinfo=UTC)
SECTIONS = ["group", "user", "pool", "model", "kind", "outcome"]

PRINTED = (
    ["视觉", "GPU-hours", "GPU use", "GPU memory, GiB-h", "kWh", "Cost", "3.0", "1 min 30 s"],
    ["视觉", "卡时", "加速卡使用率", "显存 GiB 时", "kWh", "费用", "3.0", "1 分钟 30 秒"],
)


def printed_on(pdf: bytes) -> list[str]:
    """Return every text of a PDF whose font is written in UCS-2, in the order of printing."""
    streams = re.findall(rb"stream\r?\n(.*?)~>endstream", pdf, re.DOTALL)
    drawn = b"".join(zlib.decompress(base64.a85decode(stream)) for stream in streams)
    texts = re.findall(rb"\(((?:\\.|[^()\\])*)\) Tj", drawn, re.DOTALL)
    return [unescaped(text).decode("utf-16-be") for text in texts]


def unescaped(text: bytes) -> bytes:
    """Return the bytes of a string of a PDF: escapes are three octal digits, or the sign itself."""
    return re.sub(
        rb"\\(\d{3}|.)",
        lambda found: bytes([int(found[1], 8)]) if found[1].isdigit() else found[1],
        text,
        flags=re.DOTALL,
    )


def test_the_report_of_a_month_comes_as_json_csv_and_pdf_in_both_languages() -> None:
    group = a_group("视觉")
    user = a_member(group)
    used(user, group, 3)
    WorkStart.objects.create(
        workload_id=new_id(), group_id=group.pk, user_id=user.pk, pool_id=new_id(),
        kind="training", day=date(2030, 5, 10), wait_ms=90_000, ended_as="succeeded",
    )  # fmt: skip
    MeterProgress.objects.create(until=NOON)
    client = browser(user)
    address = f"{API}/usage/report?month=2030-05"

    with freeze(NOON + timedelta(days=30)):
        shown = json_of(client.get(address))
        sheet = client.get(f"{address}&format=csv&language=zh-CN")
        pages = [client.get(f"{address}&format=pdf&language={each}") for each in ("en", "zh-CN")]

    assert (shown["is_closed"], shown["total"]["gpu_milli_s"]) == (True, 3 * 3_600_000)
    assert [row["p95_s"] for row in shown["waits"]] == [90, 90]
    lines = list(csv.DictReader(io.StringIO(sheet.content.decode("utf-8-sig"))))
    assert {line["section"] for line in lines} == {*SECTIONS, "waits"}
    titles = {(line["section"], line["title"]) for line in lines}
    assert {("kind", "任务"), ("outcome", "正常结束"), ("waits", "全部")} <= titles
    assert {line["p95_s"] for line in lines if line["section"] == "waits"} == {"90"}
    for page, words in zip(pages, PRINTED, strict=True):
        assert set(words) <= set(printed_on(page.content))
        assert page["Content-Type"] == "application/pdf"
        assert page.content.startswith(b"%PDF-")
        assert page.content.rstrip().endswith(b"%%EOF")
        # A font that readers bring themselves: nothing is embedded, so a page stays small.
        assert b"STSong-Light" in page.content
        assert len(page.content) < 50_000


@pytest.mark.parametrize("language", ["en", "zh-CN"])
def test_the_printed_report_has_the_clock_of_the_site_totals_and_heads_with_room(
    language: str,
) -> None:
    row: dict[str, Any] = {
        "gpu_milli_s": 36_000, "busy_milli_s": 0, "sampled_milli_s": 0, "idle_milli_s": 0,
        "gpu_memory_mib_s": 0, "cpu_milli_s": 7_200_000, "energy_j": 36_000, "carbon_g": None,
        "costs": [], "title_en": "Vision", "title_zh": "视觉",
    }  # fmt: skip
    report = {
        "first_day": "2030-05-01", "is_closed": False, "as_of": "2030-05-15T20:58:00Z",
        "sections": {"group": [row]}, "total": row, "waits": [],
    }  # fmt: skip
    printed = printed_on(report_pdf(report, language))
    assert any("2030-05-16 04:58" in text for text in printed)
    assert any("Asia/Shanghai" in text for text in printed)
    assert not any("UTC" in text for text in printed)
    assert translate(language, "report.sum", {}) in printed
    assert translate(language, "report.charts", {}) in printed
    # The row and its total: hardly any GPU-hours, two core-hours, hardly any energy.
    assert (printed.count("<0.1"), printed.count("2.0")) == (4, 2)
    for column, width in PRINTED_MM.items():
        head = translate(language, f"report.{column}", {})
        assert pdfmetrics.stringWidth(head, FONT, GRID_PT) <= width * mm - PADDING_PT, head


def test_the_longest_bars_are_drawn_with_names_that_have_room() -> None:
    rows = [(f"group {number}", float(number), number / 2) for number in range(BARS_MAX + 2)]
    drawing = draw_bars([*rows, ("自然语言理解与生成研究组", 100.0, 50.0)], FONT, 400)
    chart: Any
    (chart,) = drawing.contents
    held, used = chart.data
    assert (len(held), held[-1], used[-1]) == (BARS_MAX, 100.0, 50.0)
    assert held == sorted(held)
    assert chart.categoryAxis.categoryNames[-1] == "自然语言理解与生成研…"
    assert chart.x + chart.width < drawing.width
    for name in chart.categoryAxis.categoryNames:
        assert pdfmetrics.stringWidth(name, FONT, 8) < chart.x


@pytest.mark.parametrize(("language", "half_day"), [("en", "12 h"), ("zh-CN", "12 小时")])
def test_a_printed_report_says_amounts_as_people_do(language: str, half_day: str) -> None:
    costs = [{"amount": "1234567.50", "currency": "EUR"}]
    waited = dict.fromkeys(("p50_s", "p90_s", "p95_s", "longest_s"), 43_200)
    report = {
        "first_day": "2030-05-01",
        "is_closed": True,
        "as_of": None,
        "sections": {},
        "total": {"gpu_milli_s": 36_000_000_000, "costs": costs, "energy_j": None},
        "waits": [{"kind": "training", "count": 12_345, **waited}],
    }
    printed = printed_on(report_pdf(report, language))
    assert "1,234,567.50 EUR" in "".join(printed)
    assert "10,000.0" in "".join(printed)
    assert printed.count(half_day) == 4
    assert "12,345" in printed
    report["waits"] = [{"kind": "training", "count": 1_234_567, **waited}]
    (line,) = csv.DictReader(io.StringIO(report_csv(report, language).decode("utf-8-sig")))
    assert (line["count"], line["longest_s"]) == ("1234567", "43200")


def test_the_page_of_a_report_and_its_csv_have_equal_figures_for_every_role() -> None:
    above, pool = a_group("lab"), a_pool("training")
    group, foreign = a_group("vision", parent=above), a_group("robots")
    head, one = a_member(above, "group_admin"), a_member(group, username="one")
    stranger = a_member(foreign, username="stranger")
    price = {"valid_from": date(2030, 1, 1), "hourly_micros": 1_234_567, "currency": "CNY"}
    GpuPrice.objects.create(model="H100", **price)
    energy = {"measured_milli_ms": HOUR_MS, "energy_mj": 7_000_001, "carbon_mg": 1_234_567}
    used(one, group, 3, pool=pool.pk, **energy)
    used(one, group, 2, pool=pool.pk, model="", kind="environment", outcome="lost")
    used(head, above, 1, outcome="preempted", gpu_milli_ms=1_234_567)
    used(stranger, foreign, 4, kind="app")
    hours_seen = {one: 5, head: 5, stranger: 4, a_user(role="auditor"): 9}

    for user, seen in hours_seen.items():
        address, client = f"{API}/usage/report?month=2030-05", browser(user)
        with freeze(NOON):
            shown, sheet = json_of(client.get(address)), client.get(f"{address}&format=csv")
        lines = list(csv.DictReader(io.StringIO(sheet.content.decode("utf-8-sig"))))
        assert shown["total"]["gpu_milli_s"] // 3_600_000 == seen
        assert list(shown["sections"]) == SECTIONS
        rows = [(name, row) for name, part in shown["sections"].items() for row in part]
        assert [figures_of_line(line) for line in lines] == [
            figures_of_row(name, row) for name, row in rows
        ]
        for name in SECTIONS:
            held = sum(int(line["gpu_milli_s"]) for line in lines if line["section"] == name)
            # Amounts are rounded down to seconds in each row.
            assert 0 <= shown["total"]["gpu_milli_s"] - held <= len(lines)
    # The head's page of one group has that group alone.
    with freeze(NOON):
        part = json_of(browser(head).get(f"{API}/usage/report?month=2030-05&group={group.pk}"))
    assert part["total"]["gpu_milli_s"] == 5 * 3_600_000
    assert [row["key"] for row in part["sections"]["kind"]] == ["training", "environment"]


def figures_of_line(line: dict[str, str]) -> tuple[Any, ...]:
    hours = tuple(float(line[name]) for name in ("gpu_h", "idle_gpu_h", "busy_gpu_h", "cpu_core_h"))
    measured = tuple(line[name] and float(line[name]) for name in ("energy_kwh", "carbon_kg"))
    return line["section"], line["key"], int(line["gpu_milli_s"]), hours, measured, line["cost"]


def figures_of_row(section: str, row: dict[str, Any]) -> tuple[Any, ...]:
    """Return what the page shows of a row, as a line of the CSV has it."""
    fields = ("gpu_milli_s", "idle_milli_s", "busy_milli_s", "cpu_milli_s")
    hours = tuple(round(row[name] / 3_600_000, 6) for name in fields)
    units = {"energy_j": 3_600_000, "carbon_g": 1000}
    measured = tuple(
        "" if row[name] is None else round(row[name] / unit, 6) for name, unit in units.items()
    )
    cost = " + ".join(each["amount"] for each in row["costs"])
    return section, row["key"], row["gpu_milli_s"], hours, measured, cost
