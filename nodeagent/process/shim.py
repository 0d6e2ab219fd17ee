"""The parent process of one container: it outlives the agent and records the container's end.

A fork of `nodeagent.process.fork_server`, with the container's lock. It runs the command in
`launch.json`, captures its output, obeys `stop.json` (a signal only makes it read it at once),
enforces the memory limit, and records the end when no process of the container is left.
Standard library only, so that the server is small.
"""

import ctypes
import errno
import os
import resource
import signal
import subprocess
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from nodeagent.core.exit_codes import SIGNAL_EXIT_BASE, classify_exit_code
from nodeagent.core.state import ContainerKey, Finished
from nodeagent.disk import start_barrier
from nodeagent.disk.container_dir import ContainerDir, LaunchSpec
from nodeagent.disk.launch_faults import name_launch_fault
from nodeagent.disk.log_end import LogShare
from nodeagent.disk.log_marks import MarkWriter
from nodeagent.disk.notices import order_stop
from nodeagent.disk.script_faults import find_fault_of_program, name_script_fault
from nodeagent.disk.secret_folder import read_variables, remove_folder
from nodeagent.disk.stop_files import StopOrder
from nodeagent.host import procfs
from nodeagent.host.clock import SystemClock, read_boot_id
from nodeagent.process.control import container_marker
from nodeagent.process.lease_guard import LeaseGuard
from nodeagent.process.log_keeper import LogKeeper
from wire.words import ExitCause

PR_SET_PDEATHSIG: Final = 1
PR_SET_CHILD_SUBREAPER: Final = 36
OPEN_FILES_MAX: Final = 65_536
SIGNALS: Final = (signal.SIGCHLD, signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
POLL_S: Final = 0.5
RETRY_S: Final = 1.0
KILL_POLL_S: Final = 0.02
EXEC_FAULTS: Final = {
    errno.ENOENT: "command_not_found",
    errno.EACCES: "command_not_executable",
    errno.ENOEXEC: "command_wrong_platform",
}


def run(path: Path, lock: int) -> None:
    """Run one container from its directory to its end; `lock` is held until the process ends."""
    allocation, _, epoch = path.name.rpartition(".")
    directory = ContainerDir(path.parent, ContainerKey(allocation, int(epoch)))
    signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)
    _prctl(PR_SET_CHILD_SUBREAPER, 1)
    os.pwrite(lock, str(os.getpid()).encode(), 0)
    end = Shim(directory, SystemClock()).run()
    while not _records_end(directory, end):
        signal.sigtimedwait(SIGNALS, RETRY_S)


def _records_end(directory: ContainerDir, end: Finished) -> bool:
    """Return whether the end is recorded: without it, the work would be taken for lost and run again."""
    try:
        directory.write_end(end)
    except OSError:
        return not directory.exists
    return True


@dataclass(slots=True)
class Shim:
    """One container from start to end."""

    directory: ContainerDir
    clock: SystemClock
    child: int = 0
    exit_code: int | None = None
    started_at: int | None = None
    order: StopOrder | None = None
    is_signalled: bool = False
    unwritten: StopOrder | None = None
    """An order of its own that the disk did not take."""
    guard: LeaseGuard = field(init=False)

    def __post_init__(self) -> None:
        self.guard = LeaseGuard.of(self.directory, read_boot_id())

    def run(self) -> Finished:
        """Start the work, supervise it, and return its end when none of its processes is left."""
        may_start = self._wait_at_barrier()
        order = self.directory.stops.read_order()
        if order is not None:
            return self._end(order.cause, "stopped_before_start")
        if not may_start:
            return self._end(ExitCause.VANISHED, "the agent ended before the limits were set")
        launch = self.directory.read_launch()
        beginning = LogShare.of(launch.log_bytes).beginning
        marks = MarkWriter(self.directory.marks_path, self.directory.log_path, beginning)
        marks.feed_grown(self.clock.wall_ms())
        try:
            self.child = _spawn(launch, self.directory)
        except OSError as error:
            return self._end(ExitCause.START_FAILED, _describe(error, launch))
        self.started_at = self.clock.wall_ms()
        with suppress(OSError):  # a full disk: the end says it as well
            self.directory.write_started(self.started_at)
        log = LogKeeper(self.directory, launch.log_bytes)
        cause, detail = self._supervise(launch, marks, log)
        while procfs.kill_descendants(os.getpid()) or self._kill_shells():
            self._wait(KILL_POLL_S)
        self._reap()
        log.look(self.clock.wall_ms())
        marks.feed_grown(self.clock.wall_ms())
        with suppress(OSError):
            log.finish()
        if launch.secrets_dir:
            remove_folder(Path(launch.secrets_dir))
        end = self._end(cause, detail)
        if cause is not ExitCause.EXITED:
            return end
        end = name_launch_fault(classify_exit_code(end), self.directory)
        return name_script_fault(end, self.directory)

    def _wait_at_barrier(self) -> bool:
        """Wait until the agent has applied the limits; False if it never will."""
        try:
            descriptor = os.open(self.directory.barrier_path, os.O_RDONLY | os.O_NONBLOCK)
        except FileNotFoundError:
            return True
        try:
            while self.directory.stops.read_order() is None:
                is_open = start_barrier.wait_at_barrier(descriptor, KILL_POLL_S)
                if is_open is not None:
                    return is_open
            return False
        finally:
            os.close(descriptor)

    def _kill_shells(self) -> bool:
        """Kill the shells that users opened beside the work, which are children of the agent."""
        found = procfs.find_by_environment(container_marker(self.directory))
        procfs.signal_processes(found, signal.SIGKILL)
        return bool(found)

    def _supervise(
        self, launch: LaunchSpec, marks: MarkWriter, log: LogKeeper
    ) -> tuple[ExitCause, str]:
        """Wait until the main process has ended or everything must be killed."""
        memory_mib = launch.memory_mib
        while True:
            self._reap()
            log.look(self.clock.wall_ms())
            marks.feed_grown(self.clock.wall_ms())
            if self.exit_code is not None:
                return self._cause_of_end(), ""
            self._end_by_lease()
            self._carry_out_orders()
            if self.order is not None and self.clock.now_ms() >= self.order.deadline:
                return self.order.cause, "killed_after_grace"
            used_mib = _memory_mib(memory_mib)
            if used_mib > memory_mib:
                detail = f"over_memory: {used_mib} MiB used, {memory_mib} MiB granted"
                return ExitCause.OUT_OF_MEMORY, detail
            self._wait(self._pause_s())

    def _cause_of_end(self) -> ExitCause:
        """Return why the main process has ended: what was ordered, if anything."""
        if self.order is None and self.exit_code == SIGNAL_EXIT_BASE + signal.SIGKILL:
            # Where a shim does not respond, the agent kills the work: the order says why.
            self.order = self.directory.stops.read_order()
        return self.order.cause if self.order else ExitCause.EXITED

    def _end_by_lease(self) -> None:
        """Order what agent and watchdog should have ordered."""
        due = None if self.order is not None else self.guard.find_due(self.clock.now_ms())
        if due is not None:
            now_ms, wall_ms = self.clock.now_ms(), self.clock.wall_ms()
            try:
                order_stop(self.directory, due.cause, due.grace_ms, now_ms=now_ms, wall_ms=wall_ms)
            except OSError:
                self.unwritten = StopOrder(due.cause, now_ms + due.grace_ms)

    def _carry_out_orders(self) -> None:
        """Carry out an order to signal and an order to stop, each once.

        A repeated stop order may shorten the grace period.
        """
        name = None if self.is_signalled else self.directory.stops.read_signal()
        if name is not None:
            self.is_signalled = True
            os.kill(self.child, signal.Signals[name])
        is_first = self.order is None
        self.order = self.directory.stops.read_order() or self.unwritten
        if is_first and self.order is not None:
            os.killpg(self.child, signal.SIGTERM)

    def _pause_s(self) -> float:
        if self.order is None:
            return POLL_S
        return max(0.0, min(POLL_S, (self.order.deadline - self.clock.now_ms()) / 1000))

    def _wait(self, seconds: float) -> None:
        signal.sigtimedwait(SIGNALS, seconds)

    def _reap(self) -> None:
        """Reap ended children, adopted ones too, and record how the main process ended."""
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return
            if pid == 0:
                return
            if pid == self.child:
                code = os.waitstatus_to_exitcode(status)
                self.exit_code = code if code >= 0 else SIGNAL_EXIT_BASE - code

    def _end(self, cause: ExitCause, detail: str) -> Finished:
        return Finished(
            key=self.directory.key,
            cause=cause,
            finished_at=self.clock.wall_ms(),
            exit_code=self.exit_code,
            started_at=self.started_at,
            detail=detail,
        )


def _spawn(launch: LaunchSpec, directory: ContainerDir) -> int:
    """Start the work in a session of its own with its output redirected to the container's log."""

    def confine() -> None:
        # Runs in the child before exec; the shim has one thread, so this is safe.
        signal.pthread_sigmask(signal.SIG_UNBLOCK, SIGNALS)
        _prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        _, limit = resource.getrlimit(resource.RLIMIT_NOFILE)
        files = OPEN_FILES_MAX if limit == resource.RLIM_INFINITY else min(OPEN_FILES_MAX, limit)
        resource.setrlimit(resource.RLIMIT_NOFILE, (files, files))
        os.nice(launch.nice)

    with directory.log_path.open("ab", buffering=0) as log:
        child = subprocess.Popen(
            launch.argv,
            env={**launch.env, **read_variables(launch.secrets_dir)},
            cwd=launch.cwd,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            preexec_fn=confine,  # noqa: PLW1509  one thread
        )
    # `_reap` reaps all children; Popen must not wait for this one as well.
    child.returncode = 0
    return child.pid


def _describe(error: OSError, launch: LaunchSpec) -> str:
    """Return why the work could not be started, as code and words."""
    code = EXEC_FAULTS.get(error.errno or 0, "engine_error")
    is_unread = error.errno in (errno.ENOENT, errno.ENOEXEC)
    of_script = find_fault_of_program(launch.argv, launch.cwd) if is_unread else ""
    return of_script or f"{code}: {error.strerror}"


def _memory_mib(limit_mib: int) -> int:
    """Return the memory in use; shared pages are divided only if the plain sum is too large."""
    found = procfs.list_family(os.getpid())
    used = sum(item.rss for item in found)
    if used > limit_mib * procfs.MIB:
        used = procfs.measure_pss(found)
    return used // procfs.MIB


def _prctl(option: int, value: int) -> None:
    if ctypes.CDLL(None, use_errno=True).prctl(option, value, 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "prctl failed")
