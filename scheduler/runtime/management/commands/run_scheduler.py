"""The scheduler without a broker: one process that runs on a tick."""

import signal
import threading
from argparse import ArgumentParser
from concurrent.futures import Executor, ThreadPoolExecutor
from types import FrameType
from typing import Any

import structlog
from django.core.management.base import BaseCommand
from django.db import DatabaseError, connection
from typing_extensions import override

from scheduler.runtime.loop import run_once

logger = structlog.get_logger(__name__)


class Command(BaseCommand):
    """Run the scheduling loop until SIGTERM or Ctrl-C."""

    help = "Run the scheduling loop without Celery; one copy is active, others stand by."

    @override
    def add_arguments(self, parser: ArgumentParser) -> None:
        """Add the length of the tick."""
        parser.add_argument("--tick", type=float, default=1.0, help="seconds between two runs")
        parser.add_argument("--once", action="store_true", help="run once and end")

    @override
    def handle(self, *_: Any, tick: float, once: bool, **__: Any) -> None:
        """Run, wait for the tick, run again."""
        if once:
            _run()
            return
        stopping = threading.Event()
        _set_on_signal(stopping)
        with ThreadPoolExecutor(1, "commit") as committer:
            while not stopping.is_set():
                _run(committer)
                stopping.wait(tick)


def _run(committer: Executor | None = None) -> None:
    """Run once; without a database, try again at the next tick."""
    try:
        run_once(committer)
    except DatabaseError:
        logger.exception("scheduler.interrupted")
        connection.close()


def _set_on_signal(stopping: threading.Event) -> None:
    def stop(_number: int, _frame: FrameType | None) -> None:
        stopping.set()

    signal.signal(signal.SIGTERM, stop)
    signal.signal(signal.SIGINT, stop)
