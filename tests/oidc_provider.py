"""A provider of OpenID Connect in a process of its own, for tests of sign-in.

`python -m tests.oidc_provider PEOPLE` prints its address, and ends with its input. `PEOPLE` is JSON: claims by subject.
"""

import json
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from oidc_provider_mock import User, run_server_in_thread

from deploy.onebox.options import REPOSITORY


@contextmanager
def running_provider(people: Mapping[str, Mapping[str, Any]]) -> Iterator[str]:
    """Start a provider that knows these people; yield its address."""
    # It uses functions of its library that are to be removed one day, and says so.
    command = [sys.executable, "-W", "ignore", "-m", "tests.oidc_provider", json.dumps(people)]
    with subprocess.Popen(
        command,
        cwd=REPOSITORY,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            yield process.stdout.readline().strip()
        finally:
            process.stdin.close()


def _serve(people: Mapping[str, dict[str, Any]]) -> None:
    known = [User(sub=sub, claims=claims) for sub, claims in people.items()]
    with run_server_in_thread(user_claims=known) as server:
        sys.stdout.write(f"http://localhost:{server.server_port}\n")
        sys.stdout.flush()
        sys.stdin.read()


if __name__ == "__main__":
    _serve(json.loads(sys.argv[1]))
