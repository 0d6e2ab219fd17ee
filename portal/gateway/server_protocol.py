"""uvicorn's HTTP protocol with limits that it lacks: size of and time for a request's head."""

import asyncio
from typing import ClassVar, Final

from typing_extensions import override
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

HEAD_MAX: Final = 64 * 1024
"""Bytes of request line and headers that may be pending."""
HEAD_WITHIN_S: Final = 15.0
"""How long the headers of a request may take to arrive."""


class GuardedHttpProtocol(HttpToolsProtocol):
    """Closes connections whose request head is too large or takes too long (slow loris)."""

    head_within_s: ClassVar[float] = HEAD_WITHIN_S

    _head_timer: asyncio.TimerHandle | None = None
    _head_size: int = 0

    @override
    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as its base
        super().connection_made(transport)
        self._start_head()

    @override
    def connection_lost(self, exc: Exception | None) -> None:
        self._finish_head()
        super().connection_lost(exc)

    @override
    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if self._head_timer is not None:
            self._head_size += len(data)
            if self._head_size > HEAD_MAX:
                self._refuse_head()

    @override
    def on_message_begin(self) -> None:
        self._start_head()
        super().on_message_begin()

    @override
    def on_headers_complete(self) -> None:
        self._finish_head()
        super().on_headers_complete()

    def _start_head(self) -> None:
        if self._head_timer is None:
            self._head_size = 0
            self._head_timer = self.loop.call_later(self.head_within_s, self._refuse_head)

    def _finish_head(self) -> None:
        if self._head_timer is not None:
            self._head_timer.cancel()
            self._head_timer = None

    def _refuse_head(self) -> None:
        self._finish_head()
        if self._head_size == 0:
            # Browsers open connections ahead of need: a 400 could answer a request just sent.
            self.transport.close()
        elif not self.transport.is_closing():
            self.send_400_response("Incomplete or too large request head.")
