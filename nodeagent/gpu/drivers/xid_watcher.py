"""Waits for Xids in a thread, so that a lost card is reported at once."""

import threading
from collections import defaultdict
from collections.abc import Callable, Mapping
from typing import Any, Final

import structlog

from nodeagent.gpu.drivers.nvml import Nvml

log = structlog.get_logger()

WAIT_MS: Final = 200
"""Duration of one wait, and so the maximum delay of a stop."""
PAUSE_S: Final = 1.0
XIDS_MAX: Final = 1000
"""Maximum number kept between two readings, per card."""
NVML_TIMEOUT: Final = 10


class XidWatcher:
    """Collects Xids by card. `on_xid` is called in the watcher thread."""

    def __init__(self, nvml: Nvml, on_xid: Callable[[], None]) -> None:
        self._nvml = nvml
        self._on_xid = on_xid
        self._lock = threading.Lock()
        self._found: dict[str, list[int]] = defaultdict(list)
        self._ended = threading.Event()
        self._thread: threading.Thread | None = None
        self._watched: frozenset[str] = frozenset()
        self.watching = threading.Event()
        """Set while the cards are being watched."""

    def start(self, handles: Mapping[str, Any]) -> None:
        """Watch these cards; does nothing if they are watched already."""
        uuids = frozenset(handles)
        is_alive = self._thread is not None and self._thread.is_alive()
        if uuids == self._watched and is_alive:
            return
        self.stop()
        self._watched, self._ended = uuids, threading.Event()
        if handles:
            arguments = (dict(handles), self._ended)
            self._thread = threading.Thread(
                target=self._run, args=arguments, name="nvml-xids", daemon=True
            )
            self._thread.start()

    def stop(self) -> None:
        """Stop watching; waits for the thread, but not for one that hangs."""
        self._ended.set()
        self.watching.clear()
        if self._thread is not None:
            self._thread.join(4 * WAIT_MS / 1000)
        self._thread, self._watched = None, frozenset()

    def take_xids(self) -> dict[str, tuple[int, ...]]:
        """Return the Xids since the last call, by UUID."""
        with self._lock:
            found, self._found = self._found, defaultdict(list)
        return {uuid: tuple(codes) for uuid, codes in found.items()}

    def _run(self, handles: Mapping[str, Any], ended: threading.Event) -> None:
        try:
            events = self._nvml.nvmlEventSetCreate()
        except self._nvml.NVMLError as error:
            log.info("xids.unwatched", error=str(error))
            return
        try:
            for handle in handles.values():
                self._register(handle, events)
            self.watching.set()
            while not ended.is_set():
                self._wait(events, handles, ended)
        finally:
            self._free(events)

    def _register(self, handle: Any, events: Any) -> None:
        try:
            self._nvml.nvmlDeviceRegisterEvents(
                handle, self._nvml.nvmlEventTypeXidCriticalError, events
            )
        except self._nvml.NVMLError as error:
            log.info("xids.unwatched", error=str(error))

    def _wait(self, events: Any, handles: Mapping[str, Any], ended: threading.Event) -> None:
        try:
            event = self._nvml.nvmlEventSetWait_v2(events, WAIT_MS)
        except self._nvml.NVMLError as error:
            if getattr(error, "value", None) != NVML_TIMEOUT:
                log.info("xids.failed", error=str(error))
                ended.wait(PAUSE_S)
            return
        uuid = self._find_card(event.device, handles)
        log.warning("card.xid", uuid=uuid, xid=int(event.eventData))
        with self._lock:
            self._found[uuid] = [*self._found[uuid], int(event.eventData)][-XIDS_MAX:]
        self._on_xid()

    def _find_card(self, device: Any, handles: Mapping[str, Any]) -> str:
        """Return the card of an event, by its handle: a lost card no longer reports its UUID."""
        found = _address(device)
        return next((uuid for uuid, item in handles.items() if _address(item) == found), "")

    def _free(self, events: Any) -> None:
        try:
            self._nvml.nvmlEventSetFree(events)
        except self._nvml.NVMLError as error:
            log.info("xids.unfreed", error=str(error))


def _address(handle: Any) -> object:
    """Return the pointer inside a handle of the binding, to compare handles."""
    return bytes(handle)
