"""Usage as files: CSV for programs, PDF for people. Both are built from what the API answers."""

import io
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from decimal import Decimal
from typing import Any, Final
from urllib.parse import urlsplit
from xml.sax.saxutils import escape

from reportlab.lib import colors
from reportlab.lib.pagesizes import A4, landscape
from reportlab.lib.styles import ParagraphStyle
from reportlab.lib.units import mm
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.cidfonts import UnicodeCIDFont
from reportlab.platypus import Flowable, Paragraph, SimpleDocTemplate, Spacer, Table, TableStyle

from portal.common.rest.files import csv_text, plain_cell
from portal.common.site_config import get_site_config
from portal.common.translations import format_duration, translate
from portal.metering.report_charts import bars_width, draw_bars, draw_mark
from portal.site.selectors import settings_for_system

_SECONDS_PER_HOUR: Final = 3600
_HOURS: Final = {
    "gpu_h": ("gpu_milli_s", 1000),
    "fraction_gpu_h": ("fraction_milli_s", 1000),
    "idle_gpu_h": ("idle_milli_s", 1000),
    "sampled_gpu_h": ("sampled_milli_s", 1000),
    "busy_gpu_h": ("busy_milli_s", 1000),
    "gpu_memory_gib_h": ("gpu_memory_mib_s", 1024),
    "cpu_core_h": ("cpu_milli_s", 1000),
    "memory_gib_h": ("memory_mib_s", 1024),
}
"""Columns of amounts: the field that each is made from, and how many of its units are one."""
_MEASURED: Final = {"energy_kwh": ("energy_j", 3_600_000), "carbon_kg": ("carbon_g", 1000)}
"""Columns that are empty where nothing is known: their field, and how many of its units are one."""
COLUMNS: Final = (
    *("period", "key", "title", *_HOURS, "gpu_milli_s", *_MEASURED, "cost", "currency"),
)
_WAIT_COLUMNS: Final = ("count", "p50_s", "p90_s", "p95_s", "longest_s")
_NO_WAITS: Final = [""] * len(_WAIT_COLUMNS)
_SAMPLED: Final = ("busy_gpu_h", "idle_gpu_h")
"""Columns that say nothing where no sample was taken."""
_NAME_MM: Final = 39
PRINTED_MM: Final = {
    "gpu_h": 20,
    "busy_gpu_h": 27,
    "use_pct": 24,
    "idle_gpu_h": 27,
    "gpu_memory_gib_h": 31,
    "cpu_core_h": 27,
    "energy_kwh": 18,
    "carbon_kg": 22,
    "cost": 26,
}
"""Columns on paper and their widths."""
FONT: Final = "STSong-Light"
"""One of the fonts that PDF readers bring themselves, with Latin and Chinese letters: no file of it."""
GRID_PT: Final = 8.5
PADDING_PT: Final = 12
_GRID: Final = TableStyle(
    [
        ("FONT", (0, 0), (-1, -1), FONT, GRID_PT),
        ("TEXTCOLOR", (0, 0), (-1, 0), colors.HexColor("#51606d")),
        ("LINEBELOW", (0, 0), (-1, 0), 0.6, colors.HexColor("#51606d")),
        ("LINEBELOW", (0, 1), (-1, -1), 0.25, colors.HexColor("#d5dbe1")),
        ("ALIGN", (1, 0), (-1, -1), "RIGHT"),
        ("VALIGN", (0, 0), (-1, -1), "TOP"),
    ]
)

_MARK_PT: Final = 22
_CHARTED: Final = ("group", "user")
"""Sections that are drawn as well."""
_HEADED: Final = TableStyle(
    [
        ("LEFTPADDING", (0, 0), (-1, -1), 0),
        ("RIGHTPADDING", (0, 0), (-1, -1), 0),
        ("VALIGN", (0, 0), (-1, -1), "TOP"),
    ]
)
_SUMMED: Final = TableStyle(
    [("LINEABOVE", (0, -1), (-1, -1), 0.6, colors.HexColor("#51606d"))], parent=_GRID
)


def usage_csv(usage: Mapping[str, Any], language: str) -> bytes:
    """Return the rows of an answer, one line each; with a mark, so that spreadsheets read UTF-8."""
    lines = ([_cell(row, name, language) for name in COLUMNS] for row in usage["rows"])
    return csv_text(COLUMNS, lines).encode()


def report_csv(report: Mapping[str, Any], language: str) -> bytes:
    """Return all sections of a month's report, one line for each row; the last says how long work waited."""
    words = _Words(language)
    lines = [
        [section, *(_cell(row, name, language) for name in COLUMNS), *_NO_WAITS]
        for section, rows in report["sections"].items()
        for row in rows
    ]
    lines += [["waits", *_wait_cells(row, words)] for row in report["waits"]]
    return csv_text(("section", *COLUMNS, *_WAIT_COLUMNS), lines).encode()


def report_pdf(report: Mapping[str, Any], language: str) -> bytes:
    """Return a month's report as pages to print."""
    pdfmetrics.registerFont(UnicodeCIDFont(FONT))
    out, words = io.BytesIO(), _Words(language)
    month = report["first_day"][:7]
    page = SimpleDocTemplate(
        out,
        pagesize=landscape(A4),
        leftMargin=18 * mm,
        rightMargin=18 * mm,
        topMargin=18 * mm,
        bottomMargin=18 * mm,
        title=words("report.title", month=month),
    )
    page.build(list(_pages(report, words, month)))
    return out.getvalue()


class _Words:
    """Sentences of the report in one language."""

    def __init__(self, language: str) -> None:
        self.language = language

    def __call__(self, code: str, **params: object) -> str:
        return translate(self.language, code, params)


def _wait_cells(row: Mapping[str, Any], words: _Words) -> list[str]:
    known = {
        "key": row["kind"] or "all",
        "title": words(f"report.kind.{row['kind'] or 'all'}"),
        **{name: str(row[name]) for name in _WAIT_COLUMNS},
    }
    return [known.get(name, "") for name in (*COLUMNS, *_WAIT_COLUMNS)]


def _pages(report: Mapping[str, Any], words: _Words, month: str) -> Iterator[Flowable]:
    body = ParagraphStyle("body", fontName=FONT, fontSize=9.5, leading=14)
    heading = ParagraphStyle("heading", fontName=FONT, fontSize=12, leading=18, spaceBefore=10)
    title = ParagraphStyle("title", fontName=FONT, fontSize=18, leading=26)
    named = Paragraph(words("report.title", month=month), title)
    yield Table([[draw_mark(_MARK_PT), named]], [_MARK_PT + 8, None], style=_HEADED)
    state = "report.closed" if report["is_closed"] else "report.open"
    days = settings_for_system().days
    as_of = report["as_of"] and days.describe(datetime.fromisoformat(report["as_of"]))
    site = urlsplit(get_site_config().portal_url).hostname or "Berth"
    yield Paragraph(words("report.site", site=site, zone=days.zone), body)
    yield Paragraph(words(state, as_of=as_of or "-"), body)
    total = report["total"]
    hours = _hours(total, "gpu_h")
    yield Paragraph(words("report.total", hours=f"{hours:,.1f}", cost=_money(total["costs"])), body)
    if total["energy_j"] is not None:
        energy, carbon = (_known(total, name, ",.1f") or "-" for name in _MEASURED)
        yield Paragraph(words("report.energy", energy=energy, carbon=carbon), body)
    charts = {each: report["sections"].get(each, ()) for each in _CHARTED}
    if any(charts.values()):
        yield Paragraph(words("report.charts"), heading)
        yield _charts({each: rows for each, rows in charts.items() if rows}, words)
    for section, rows in report["sections"].items():
        if rows:
            yield Paragraph(words(f"report.by.{section}"), heading)
            yield _table(rows, total, words)
    if report["waits"]:
        yield Paragraph(words("report.waits"), heading)
        yield _waits(report["waits"], words)
    yield Spacer(1, 8 * mm)
    yield Paragraph(words("report.how"), body)


def _charts(charts: Mapping[str, Sequence[Mapping[str, Any]]], words: _Words) -> Table:
    """Bars of GPU-hours, a chart for each section, beside each other."""
    small = ParagraphStyle("small", fontName=FONT, fontSize=GRID_PT, leading=12)
    width = bars_width(len(charts))
    heads = [Paragraph(words(f"report.by.{section}"), small) for section in charts]
    drawn = [
        draw_bars([_bar(row, words.language) for row in rows], FONT, width)
        for rows in charts.values()
    ]
    return Table([heads, drawn], [width + 6] * len(charts), style=_HEADED)


def _bar(row: Mapping[str, Any], language: str) -> tuple[str, float, float]:
    return _title(row, language), _hours(row, "gpu_h"), _hours(row, "busy_gpu_h")


def _table(rows: Sequence[Mapping[str, Any]], total: Mapping[str, Any], words: _Words) -> Table:
    """The columns of the page, in its order, and what the rows add up to."""
    head = [words("report.name"), *(words(f"report.{name}") for name in PRINTED_MM)]
    lines = [
        [_fit(_title(row, words.language)), *(_printed(row, name) for name in PRINTED_MM)]
        for row in rows
    ]
    lines.append([words("report.sum"), *(_printed(total, name) for name in PRINTED_MM)])
    widths = [each * mm for each in (_NAME_MM, *PRINTED_MM.values())]
    return Table([head, *lines], widths, style=_SUMMED, repeatRows=1)


def _printed(row: Mapping[str, Any], column: str) -> str:
    if column == "cost":
        return _money(row["costs"], "\n")
    if column in _MEASURED:
        known = _known(row, column, "")
        return _some(float(known)) if known else "-"
    if column == "use_pct":
        return (
            f"{row['busy_milli_s'] * 100 / row['sampled_milli_s']:.0f} %"
            if _is_sampled(row)
            else "-"
        )
    if column in _SAMPLED and not _is_sampled(row):
        return "-"
    return _some(_hours(row, column))


def _some(amount: float) -> str:
    """Return an amount as on the page: a little differs from nothing."""
    return "<0.1" if 0 < amount < 0.05 else f"{amount:,.1f}"


def _is_sampled(row: Mapping[str, Any]) -> bool:
    return bool(row["sampled_milli_s"] > 0)


def _fit(name: str) -> str | Paragraph:
    """Break a name that is wider than its column; plain text is laid out much faster."""
    if pdfmetrics.stringWidth(name, FONT, GRID_PT) <= _NAME_MM * mm - PADDING_PT:
        return name
    return Paragraph(
        escape(name), ParagraphStyle("name", fontName=FONT, fontSize=GRID_PT, wordWrap="CJK")
    )


def _waits(rows: Sequence[Mapping[str, Any]], words: _Words) -> Table:
    head = [words("report.name"), *(words(f"report.{name}") for name in _WAIT_COLUMNS)]
    lines = [
        [
            words(f"report.kind.{row['kind'] or 'all'}"),
            f"{row['count']:,}",
            *(format_duration(round(row[name]), words.language) for name in _WAIT_COLUMNS[1:]),
        ]
        for row in rows
    ]
    return Table([head, *lines], [_NAME_MM * mm, *[34 * mm] * 5], style=_GRID, repeatRows=1)


def _title(row: Mapping[str, Any], language: str) -> str:
    title: str = row["title_zh" if language.startswith("zh") else "title_en"]
    return title


def _hours(row: Mapping[str, Any], column: str) -> float:
    name, units = _HOURS[column]
    return float(row[name]) / units / _SECONDS_PER_HOUR


def _known(row: Mapping[str, Any], column: str, number: str) -> str:
    name, units = _MEASURED[column]
    return "" if row[name] is None else format(row[name] / units, number)


def _cell(row: Mapping[str, Any], column: str, language: str) -> str:
    if column in _HOURS:
        return f"{_hours(row, column):.6f}"
    if column in _MEASURED:
        return _known(row, column, ".6f")
    if column == "title":
        return str(plain_cell(_title(row, language)))
    if column in ("cost", "currency"):
        part = "amount" if column == "cost" else "currency"
        return " + ".join(each[part] for each in row["costs"])
    return str(plain_cell(str(row[column])))


def _money(costs: Sequence[Mapping[str, str]], between: str = " + ") -> str:
    return (
        between.join(f"{Decimal(each['amount']):,.2f} {each['currency']}" for each in costs) or "-"
    )
