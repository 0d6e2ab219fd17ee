"""Usage and reports as files, chosen by `Accept` or `?format=`."""

import json
from collections.abc import Mapping
from typing import Any, ClassVar

from rest_framework.renderers import BaseRenderer
from typing_extensions import override

from portal.metering.report_files import report_csv, report_pdf, usage_csv


class FileRenderer(BaseRenderer):
    """Renders an answer as a file, and a refusal as its problem document."""

    charset = None
    render_style = "binary"
    build: "ClassVar[staticmethod[[Mapping[str, Any], str], bytes]]"
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
        if context["response"].status_code != 200:
            return json.dumps(data, default=str).encode()
        return self.build(data, context["request"].query_params.get("language", "en"))


class UsageCsvRenderer(FileRenderer):
    """Rows of usage as CSV."""

    media_type = "text/csv"
    format = "csv"
    build = staticmethod(usage_csv)


class ReportCsvRenderer(FileRenderer):
    """The report of a month as CSV."""

    media_type = "text/csv"
    format = "csv"
    build = staticmethod(report_csv)


class ReportPdfRenderer(FileRenderer):
    """The report of a month as PDF."""

    media_type = "application/pdf"
    format = "pdf"
    build = staticmethod(report_pdf)
