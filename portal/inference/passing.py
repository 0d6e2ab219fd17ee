"""Passes one answer of a replica on to the client, in the way that its kind needs, and reads its tokens."""

import asyncio
from typing import Final

from aiohttp import ClientResponse

from portal.inference.answers import Answer
from portal.inference.openai import Prepared, StreamMeter, Usage, read_usage
from portal.inference.refusals import Refusal
from portal.inference.upstream import answer_headers

DOCUMENT_MAX: Final = 32 * 1024 * 1024
"""Bytes of a whole answer whose tokens are read."""
PIECE_MAX: Final = 64 * 1024
"""Bytes of an answer that is passed on at once."""
EVENT_STREAM: Final = "text/event-stream"
_OK: Final = 200
_ERRORS: Final = 400
_SERVER_ERRORS: Final = 500


class NoAnswerError(Exception):
    """A replica gave no byte of an answer."""


class CutError(Exception):
    """A replica's answer ended before its end."""


class Passing:
    """The way of one answer to the client."""

    def __init__(self, answer: Answer, prepared: Prepared, *, is_metered: bool) -> None:
        """Pass nothing yet."""
        self.first_byte_at: float | None = None
        """By the loop's clock; None until something came."""
        self.has_failed = False
        """Whether the replica has answered with a fault of its own."""
        self._answer = answer
        self._prepared = prepared
        self._is_metered = is_metered
        self._usage = Usage()
        self._stream: StreamMeter | None = None

    def usage(self) -> Usage:
        """Return the tokens so far; of a stream that has not come to its end they are cut."""
        return self._stream.usage() if self._stream is not None else self._usage

    async def run(self, response: ClientResponse) -> None:
        """Pass the answer on; raises `NoAnswerError` and `CutError`, and what reading it raises."""
        is_stream = response.content_type == EVENT_STREAM
        is_good = response.status == _OK
        self.has_failed = response.status >= _SERVER_ERRORS
        if self._is_metered and is_good:
            await (self._pass_events(response) if is_stream else self._pass_document(response))
        elif self._answer.is_held_stream and not (is_stream and is_good):
            await self._pass_refusal(response)
        else:
            await self._pass_bytes(response, is_stream=is_stream)

    async def _pass_events(self, response: ClientResponse) -> None:
        meter = self._stream = StreamMeter(hides_usage=self._prepared.hides_usage)
        try:
            async for data in response.content.iter_any():
                self._note_byte()
                if passed := meter.feed(data):
                    headers = answer_headers(response, is_changed=True)
                    await self._answer.begin(response.status, headers, is_stream=True)
                    await self._answer.write(passed)
        except ValueError as error:
            raise CutError from error
        if not meter.has_content:
            self._stream = None
            raise NoAnswerError
        if not meter.is_done:
            raise CutError
        self.has_failed = meter.has_error
        await self._answer.end()

    async def _pass_document(self, response: ClientResponse) -> None:
        """Pass on a document whole: its tokens stand in it."""
        parts = list[bytes]()
        size = 0
        async for data in response.content.iter_any():
            parts.append(data)
            size += len(data)
            if size > DOCUMENT_MAX:
                raise CutError
        document = b"".join(parts)
        if not document.strip():
            raise NoAnswerError
        self._note_byte()
        self._usage = read_usage(document) or Usage()
        if self._answer.is_held_stream:
            document = b"data: " + document + b"\n\n"
        await self._answer.begin(
            response.status, answer_headers(response, is_changed=False), is_stream=False
        )
        await self._answer.end(document)

    async def _pass_refusal(self, response: ClientResponse) -> None:
        """Tell a client that was promised events that the replica answers with something else."""
        await response.read()
        self._note_byte()
        self.has_failed = response.status >= _ERRORS
        params = {"status": response.status}
        await self._answer.refuse(Refusal(response.status, "replica_refused", params))

    async def _pass_bytes(self, response: ClientResponse, *, is_stream: bool) -> None:
        headers = answer_headers(response, is_changed=False)
        if not is_stream and 0 < (response.content_length or 0) <= PIECE_MAX:
            whole = await response.read()
            self._note_byte()
            await self._answer.begin(response.status, headers, is_stream=False)
            await self._answer.end(whole)
            return
        async for data in response.content.iter_any():
            if self.first_byte_at is None:
                self._note_byte()
                await self._answer.begin(response.status, headers, is_stream=is_stream)
            await self._answer.write(data)
        self._note_byte()
        await self._answer.begin(response.status, headers, is_stream=is_stream)
        await self._answer.end()

    def _note_byte(self) -> None:
        if self.first_byte_at is None:
            self.first_byte_at = asyncio.get_running_loop().time()
