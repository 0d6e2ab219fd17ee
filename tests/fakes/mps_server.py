"""An MPS daemon of protocol 3 in memory: one server, and namespaces with limits."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from nodeagent.host.commands import CommandResult

GOOD = CommandResult(0, "")
UNKNOWN = CommandResult(1, "unknown command")


@dataclass
class FakeMpsServer:
    """Answers `nvidia-cuda-mps-control MODULE VERB …`."""

    is_deaf: bool = False
    """It takes limits and does not keep them."""
    devices: str = ""
    namespaces: dict[str, dict[str, str]] = field(default_factory=dict)

    def answer(self, words: Sequence[str]) -> CommandResult:
        match list(words):
            case ["server", "create", "berth", "--uid=0", devices]:
                self.devices = devices.removeprefix("--allowed-devices=")
                return GOOD
            case ["server", "get", "berth", "name"]:
                return (
                    CommandResult(0, "berth\n")
                    if self.devices
                    else CommandResult(1, "no such server")
                )
            case ["namespace", verb, name, *rest] if self.devices:
                return self._namespace(verb, name, rest)
            case _:
                return UNKNOWN

    def _namespace(self, verb: str, name: str, rest: list[str]) -> CommandResult:
        known = self.namespaces.get(name)
        match verb, rest:
            case "create", ["--server=berth"] if known is None:
                assert name == name.lower()
                assert len(name) <= 64
                self.namespaces[name] = {"name": name, "active-thread-percentage": "100"}
            case "get", ["berth", wanted] if known is not None:
                return CommandResult(0, known.get(wanted, "-") + "\n")
            case "set", ["--server=berth", *limits] if known is not None:
                given = dict(item.removeprefix("--").split("=") for item in limits)
                known.update({} if self.is_deaf else given)
            case "delete", ["--server=berth", "--force"] if known is not None:
                del self.namespaces[name]
            case _:
                return UNKNOWN
        return GOOD
