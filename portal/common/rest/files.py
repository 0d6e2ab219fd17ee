"""Answers that are files, and CSV for spreadsheets and programs."""

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, ClassVar, Final

from django.http import HttpResponse
from rest_framework.renderers import BaseRenderer
from typing_extensions import override

from portal.common.rest.rendering import OrjsonRenderer

_MARK: Final = "\ufeff"
"""So that spreadsheets read UTF-8."""
_FORMULA: Final = ("=", "+", "-", "@", "\t", "\r")


class FileRenderer(BaseRenderer):
    """Renders an answer as a file, chosen by `Accept` or `?format=`; a refusal stays JSON."""

    charset: str | None = None
    render_style = "binary"
    build: "ClassVar[staticmethod[[Any, str], bytes]]"
    """Makes the file from an answer, in a language."""

    @override
    def render(
        self,
        data: Any,
        accepted_media_type: str | None = None,
        renderer_context: Mapping[str, Any] | None = None,
    ) -> bytes:
        """Return the bytes of the file."""
        context = renderer_context or {}
        if context["response"].status_code >= 400:
            refusal: bytes = OrjsonRenderer().render(data)
            return refusal
        return self.build(data, context["request"].query_params.get("language", "en"))


class CsvRenderer(FileRenderer):
    """Renders an answer as CSV."""

    media_type = "text/csv"
    format = "csv"
    charset = "utf-8"


def plain_cell(value: object) -> object:
    """Return a value whose text no spreadsheet takes for a formula; numbers stay as they are."""
    return f"'{value}" if isinstance(value, str) and value.startswith(_FORMULA) else value


def csv_text(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Return a table as CSV; texts of users go through `plain_cell` before."""
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(head)
    writer.writerows(rows)
    return _MARK + out.getvalue()


def csv_response(content: str, name: str) -> HttpResponse:
    """Return CSV as a file to download, with this name."""
    return HttpResponse(
        content,
        content_type="text/csv; charset=utf-8",
        headers={"Content-Disposition": f'attachment; filename="{name}.csv"'},
    )
