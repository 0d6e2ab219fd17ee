"""What an SFTP session tells its person: OpenSSH shows no sentence of an answer, but its standard error."""

from contextlib import suppress
from typing import Final

import asyncssh

from portal.access.client_texts import text_for_client
from portal.common.errors import DomainError

NOTES_MAX: Final = 50
"""Sentences that one SFTP session prints."""


class ClientVoice:
    """Standard error of one channel, in the client's language."""

    def __init__(self, channel: "asyncssh.SSHServerChannel[bytes]") -> None:
        """Nothing is said yet."""
        self._channel = channel
        self._said = 0
        self._last = ""

    def text(self, error: DomainError) -> str:
        """Return the sentence of a refusal."""
        return text_for_client(self._channel.get_environment(), error.code, error.params)

    def say(self, error: DomainError) -> None:
        """Print the sentence of a refusal, once if it comes many times in a row."""
        text = self.text(error)
        if text == self._last or self._said == NOTES_MAX:
            return
        self._last, self._said = text, self._said + 1
        with suppress(OSError):
            self._channel.write_stderr(f"berth: {text}\r\n".encode())
