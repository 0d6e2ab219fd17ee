"""Usage and reports as files."""

from portal.common.rest.files import FileRenderer
from portal.metering.report_files import report_csv, report_pdf, usage_csv


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
