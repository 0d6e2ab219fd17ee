"""What an SFTP session tells its person: OpenSSH shows no sentence of an answer, but its standard error."""

from collections.abc import Mapping
from contextlib import suppress
from typing import Final

import asyncssh

from portal.access.client_texts import text_for_client

NOTES_MAX: Final = 50
"""Sentences that one SFTP session prints."""


class ClientVoice:
    """Standard error of one channel, in the client's language."""

    def __init__(self, channel: "asyncssh.SSHServerChannel[bytes]") -> None:
        """Nothing is said yet."""
        self._channel = channel
        self._said = 0
        self._last = ""

    def text(self, code: str, params: Mapping[str, object] | None = None) -> str:
        """Return the sentence of a code."""
        return text_for_client(self._channel.get_environment(), code, params or {})

    def say(self, code: str, params: Mapping[str, object] | None = None) -> None:
        """Print the sentence of a code, once if it comes many times in a row."""
        text = self.text(code, params)
        if text == self._last or self._said == NOTES_MAX:
            return
        self._last, self._said = text, self._said + 1
        with suppress(OSError):
            self._channel.write_stderr(f"berth: {text}\r\n".encode())
