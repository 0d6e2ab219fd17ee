"""uvicorn's HTTP protocol with the limits it lacks: size of, and time for, a request's head."""

import asyncio
from typing import Final

from typing_extensions import override
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

HEAD_MAX: Final = 64 * 1024
"""Bytes of request line and headers that may be pending."""
HEAD_WITHIN_S: Final = 15.0
"""How long the headers of a request may take to arrive."""


class GuardedHttpProtocol(HttpToolsProtocol):
    """Ends connections that dribble or never finish a request's head."""

    _head_timer: asyncio.TimerHandle | None = None
    _head_size: int = 0

    @override
    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as its base
        super().connection_made(transport)
        self._expect_head()

    @override
    def connection_lost(self, exc: Exception | None) -> None:
        self._head_has_come()
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
        self._expect_head()
        super().on_message_begin()

    @override
    def on_headers_complete(self) -> None:
        self._head_has_come()
        super().on_headers_complete()

    def _expect_head(self) -> None:
        if self._head_timer is None:
            self._head_size = 0
            self._head_timer = self.loop.call_later(HEAD_WITHIN_S, self._refuse_head)

    def _head_has_come(self) -> None:
        if self._head_timer is not None:
            self._head_timer.cancel()
            self._head_timer = None

    def _refuse_head(self) -> None:
        self._head_has_come()
        if self._head_size == 0:
            # Browsers open connections ahead of need: a refusal would answer a request on its way.
            self.transport.close()
        elif not self.transport.is_closing():
            self.send_400_response("Incomplete or too large request head.")
