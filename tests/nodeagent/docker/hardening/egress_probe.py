"""Runs inside a container and tries to reach what it is told of; writes what came of it as JSON.

Its only argument is a JSON object: name → [address, port], or [name] for the name service.
"""

import json
import socket
import sys
from pathlib import Path
from typing import Final

PATIENCE_S: Final = 60.0
"""Only ends what hangs: every refusal comes at once."""


def outcome(target: list[str | int]) -> str:
    """Return "reached", or why not."""
    try:
        if len(target) == 1:
            return socket.gethostbyname(str(target[0]))
        with socket.create_connection((str(target[0]), int(target[1])), PATIENCE_S):
            return "reached"
    except OSError as error:
        return str(error)


if __name__ == "__main__":
    found = {name: outcome(target) for name, target in json.loads(sys.argv[1]).items()}
    answer = Path("/outputs/.egress")
    answer.write_text(json.dumps(found))
    answer.rename("/outputs/egress.json")
