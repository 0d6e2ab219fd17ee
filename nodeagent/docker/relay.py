"""The program that joins an exec's standard streams to a port inside its container.

Images differ in what they have; the first that is there does it: Python, socat, bash.
"""

from typing import Final

RELAY_READY: Final = "connected"
NOTHING_LISTENS: Final = 111
NO_RELAY: Final = 112

_PYTHON: Final = """
import os, socket, sys, threading
try:
    s = socket.create_connection(("localhost", int(sys.argv[1])), 5)
except OSError:
    sys.exit(111)
s.settimeout(None)
os.write(1, b"connected\\n")
def up():
    while True:
        d = os.read(0, 65536)
        if not d:
            break
        s.sendall(d)
    s.shutdown(socket.SHUT_WR)
threading.Thread(target=up, daemon=True).start()
while True:
    d = s.recv(65536)
    if not d:
        break
    while d:
        d = d[os.write(1, d):]
"""

_BASH: Final = "exec 3<>/dev/tcp/127.0.0.1/$0 || exit 111; echo connected; cat <&3 & cat >&3; wait"


def relay_argv(port: int) -> str:
    """Return the line of shell that connects to a port of the container and passes bytes on."""
    return (
        f"port={port}; export PYTHONDONTWRITEBYTECODE=1; for p in python3 python; do "
        f"command -v $p >/dev/null 2>&1 && exec $p -I -S -c '{_PYTHON}' $port; done; "
        "command -v bash >/dev/null 2>&1 && command -v cat >/dev/null 2>&1 "
        f"&& exec bash -c '{_BASH}' $port; exit {NO_RELAY}"
    )
