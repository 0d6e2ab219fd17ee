"""Secrets as variables of a container, past the engine: it writes what it is given to its disk.

A shell of the image reads the variables from the mounted file and executes the work. So an image
without `/bin/sh` can have secrets as files only: its start is refused with `no_shell`.
"""

from typing import Any, Final

from nodeagent.disk.secret_folder import ENV_FILE
from nodeagent.docker.containers.container_spec import SECRETS_DIR

SHELL: Final = "/bin/sh"
PROGRAM: Final = 'set -a; . "$0"; set +a; exec "$@"'


def add_variables(options: dict[str, Any], image: dict[str, Any]) -> dict[str, Any]:
    """Return create options with the shell before the work.

    `image` is the engine's description: a new entry point replaces the image's own and its default
    command, so both must be named.
    """
    config = image.get("Config") or {}
    own = tuple(options.get("entrypoint") or config.get("Entrypoint") or ())
    command = tuple(options.get("command") or config.get("Cmd") or ())
    return {
        **options,
        "entrypoint": [SHELL, "-c", PROGRAM, f"{SECRETS_DIR}/{ENV_FILE}"],
        "command": [*own, *command],
    }
