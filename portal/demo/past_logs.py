"""The logs of the last jobs of a simulated past, and the metrics in them."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from pathlib import Path
from typing import Final
from uuid import UUID

from portal.common.clock import to_millis
from portal.demo.past.log_texts import log_lines
from portal.demo.past.plan import Attempt, LabPast, PastJob
from portal.training_metrics.log_position import LogPosition, LogStream
from portal.training_metrics.metric_lines import read_lines
from portal.training_metrics.services import record_lines
from portal.workloads.logs.files import append_log, log_path
from portal.workloads.logs.marks import append_marks, marks_path
from wire.log_marks import LogMark

JOBS: Final = 120
"""So many of the last jobs have a log."""
WITH_METRICS: Final = 60


def write_past_logs(
    past: LabPast, keys: Mapping[int, UUID], since: datetime, storage_dir: Path
) -> None:
    """Write the logs of the jobs that ended last, and store the metrics of some."""
    ended = sorted(
        (job for job in past.jobs if job.attempts), key=lambda job: -job.attempts[-1].ends_s
    )
    for number, job in enumerate(ended[:JOBS]):
        key = keys[job.number]
        for epoch, attempt in enumerate(job.attempts, start=1):
            text, marks = _text(job, attempt, since)
            append_log(log_path(storage_dir, key, 0, epoch), 0, text)
            append_marks(marks_path(storage_dir, key, 0, epoch), marks)
            if number < WITH_METRICS:
                _record(LogStream(key, 0, epoch), text)


def _text(job: PastJob, attempt: Attempt, since: datetime) -> tuple[bytes, list[LogMark]]:
    parts: list[bytes] = []
    marks: list[LogMark] = []
    size = 0
    for line in log_lines(job, attempt):
        at_ms = to_millis(since + timedelta(seconds=line.at_s))
        text = line.text.replace("{unix}", f"{at_ms // 1000}").encode() + b"\n"
        marks.append(LogMark(size, at_ms))
        parts.append(text)
        size += len(text)
    return b"".join(parts), marks


def _record(stream: LogStream, text: bytes) -> None:
    found = read_lines(text)
    record_lines(stream, found, begin=LogPosition(), end=LogPosition(log=len(text)))
