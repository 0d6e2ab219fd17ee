"""The browser of these tests opens no netlink socket; everything else it may."""

import os
import subprocess
import sys
from pathlib import Path

SCRIPT = """
import socket
socket.create_server(("127.0.0.1", 0)).close()
try:
    socket.socket(socket.AF_NETLINK, socket.SOCK_RAW)
except OSError as refused:
    print(refused.errno == 97)
"""


def test_only_netlink_is_refused() -> None:
    wrapper = Path(__file__).with_name("deaf_browser.py")
    env = {**os.environ, "BROWSER": sys.executable}
    run = subprocess.run([wrapper, "-c", SCRIPT], env=env, capture_output=True, check=True)
    assert run.stdout == b"True\n"
