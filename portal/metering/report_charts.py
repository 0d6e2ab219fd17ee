"""What a printed report draws: the mark of the product, and bars of the GPU-hours of each row."""

from collections.abc import Sequence
from typing import Final

from reportlab.graphics.charts.barcharts import HorizontalBarChart
from reportlab.graphics.shapes import Drawing, Rect
from reportlab.lib import colors
from reportlab.lib.units import mm

BARS_MAX: Final = 8
"""Rows of one chart: the largest come first."""
_BAR_PT: Final = 15
_HEAD_PT: Final = 6
_NAME_PT: Final = 108
_EDGE_PT: Final = 24
"""Right of the longest bar, for the last number below it."""
_NAME_MAX: Final = 20
"""Letters of a name beside its bar; of wide ones half as many."""
_WIDE: Final = "\u2e80"
"""From here on letters are wide."""
_ACCENT: Final = colors.HexColor("#0b6478")
_PALE: Final = colors.HexColor("#9cc4cd")
_INK: Final = colors.HexColor("#51606d")
_MARK: Final = ((6, 18, 9, 1), (17, 18, 9, 0.45), (6, 9, 20, 1))
"""Left, bottom, width and strength of its bars, of 32 points."""


def draw_mark(side: float) -> Drawing:
    """Return the mark of the product, `side` points wide."""
    mark = Drawing(side, side)
    mark.add(_block(0, 0, 32, 32, 7, _ACCENT))
    for left, bottom, width, strength in _MARK:
        pale = colors.Color(1, 1, 1, alpha=strength)
        mark.add(_block(left, bottom, width, 6, 1.5, pale))
    mark.scale(side / 32, side / 32)
    return mark


def _block(
    left: float, bottom: float, width: float, height: float, radius: float, fill: colors.Color
) -> Rect:
    block = Rect(left, bottom, width, height, rx=radius, ry=radius)
    block.fillColor, block.strokeColor = fill, None
    return block


def draw_bars(rows: Sequence[tuple[str, float, float]], font: str, width: float) -> Drawing:
    """Return bars of (name, GPU-hours held, of them used), the largest rows first, `width` points wide."""
    shown = sorted(rows, key=lambda row: -row[1])[:BARS_MAX]
    height = _BAR_PT * len(shown)
    drawing = Drawing(width, height + 2 * _HEAD_PT + 14)
    chart = HorizontalBarChart()
    chart.x, chart.y = _NAME_PT, 14 + _HEAD_PT
    chart.width, chart.height = int(width) - _NAME_PT - _EDGE_PT, height
    # It draws from the bottom: the largest comes last. Used hours lie on those that were held.
    last_first = shown[::-1]
    chart.data = [[held for _, held, _ in last_first], [used for _, _, used in last_first]]
    chart.categoryAxis.style = "parallel"
    chart.categoryAxis.categoryNames = [_short(name) for name, _, _ in last_first]
    chart.bars[0].fillColor, chart.bars[1].fillColor = _PALE, _ACCENT
    chart.bars.strokeColor = None
    chart.valueAxis.valueMin = 0
    chart.valueAxis.labelTextFormat = lambda hours: f"{hours:,.0f}"
    for axis in (chart.categoryAxis, chart.valueAxis):
        axis.strokeColor, axis.labels.fillColor = _INK, _INK
        axis.labels.fontName, axis.labels.fontSize = font, 8
    drawing.add(chart)
    return drawing


def bars_width(columns: int) -> float:
    """Return how wide each of so many charts beside each other is on a page, in points."""
    return 261 * mm / columns - 6


def _short(name: str) -> str:
    """Return as much of a name as stands beside a bar."""
    room = _NAME_MAX
    for place, letter in enumerate(name):
        room -= 2 if letter >= _WIDE else 1
        if room < 0:
            return f"{name[:place]}…"
    return name
