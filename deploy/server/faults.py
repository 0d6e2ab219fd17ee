"""What `berth-server check` finds: a code for tests and programs, a sentence for people."""

import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from deploy.server.words import say


@dataclass(frozen=True, slots=True)
class ServerFault:
    """One fault of an installation: a code, and what its sentence names."""

    code: str
    params: Mapping[str, object] = field(default_factory=dict)

    def say(self, language: str) -> str:
        """Return code and sentence in one line."""
        return f"{self.code}: {say(language, self.code, self.params)}"


class RefusalError(Exception):
    """A command refuses, for a reason that has a code; nothing was changed."""

    def __init__(self, code: str, **params: object) -> None:
        super().__init__(code)
        self.fault = ServerFault(code, params)


def tell(faults: Iterable[ServerFault], language: str) -> int:
    """Write a line for each fault to standard error; return the exit status, 1 if there is one."""
    lines = [fault.say(language) for fault in faults]
    for line in lines:
        print(line, file=sys.stderr)
    return 1 if lines else 0
