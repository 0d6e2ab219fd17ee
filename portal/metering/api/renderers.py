"""Usage and reports as files."""

from portal.common.rest.files import CsvRenderer, FileRenderer
from portal.metering.report_files import report_csv, report_pdf, usage_csv


class UsageCsvRenderer(CsvRenderer):
    """Rows of usage as CSV."""

    build = staticmethod(usage_csv)


class ReportCsvRenderer(CsvRenderer):
    """The report of a month as CSV."""

    build = staticmethod(report_csv)


class ReportPdfRenderer(FileRenderer):
    """The report of a month as PDF."""

    media_type = "application/pdf"
    format = "pdf"
    build = staticmethod(report_pdf)
