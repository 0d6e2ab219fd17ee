"""Two live, two web and two scheduler processes behind a proxy, each of which can be killed.

The proxy is HAProxy as an operator would run it: it knows nothing of the product but two ports of each
live process, and asks `/livez` twice a second.
"""

import shutil
import subprocess
from http import HTTPStatus
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit
from urllib.request import Request, urlopen

from typing_extensions import override

from deploy.onebox.options import find_free_port
from deploy.onebox.platform import server_processes
from deploy.onebox.supervisor import ManagedProcess
from tests.integration.platform import Platform

PAIRS: Final = ("web", "live", "scheduler")
"""Of each of these there are two, called `web-1`, `web-2` and so on."""
_CONFIG: Final = """
global
    maxconn 4000
defaults
    mode http
    option forwardfor
    option redispatch 1
    retries 3
    retry-on conn-failure empty-response
    timeout connect 2s
    timeout check 5s
    timeout client 1h
    timeout server 1h
    timeout tunnel 1h
    default-server inter 500ms fall 1 rise 1 on-marked-down shutdown-sessions
frontend portal
    bind {portal}
    default_backend portal
    http-request disable-l7-retry unless METH_GET
frontend apps
    bind {apps}
    default_backend apps
    http-request disable-l7-retry unless METH_GET
backend portal
    http-request disable-l7-retry unless METH_GET
    option httpchk
    http-check send meth GET uri /livez hdr Host {host}
    server live-1 127.0.0.1:{ports[0][0]} check
    server live-2 127.0.0.1:{ports[1][0]} check
backend apps
    http-request disable-l7-retry unless METH_GET
    option httpchk
    http-check send meth GET uri /livez hdr Host {host}
    server live-1 127.0.0.1:{ports[0][1]} check port {ports[0][0]}
    server live-2 127.0.0.1:{ports[1][1]} check port {ports[1][0]}
"""


class DoubledPlatform(Platform):
    """The platform with two of everything that may be doubled."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self._webs = (find_free_port(), find_free_port())
        self._lives = tuple((find_free_port(), find_free_port()) for _ in range(2))

    @property
    def url(self) -> str:
        """Address of the portal: the proxy's."""
        return self.options.portal_url

    @property
    def data_dir(self) -> Path:
        """Where everything of it is."""
        return self.folder

    def process_of(self, name: str) -> "subprocess.Popen[bytes]":
        """Return the process that is this part now."""
        return self._running[name].process

    def serves(self, number: int) -> bool:
        """Tell whether the live process with this number answers."""
        port = self._lives[number - 1][0]
        asked = Request(f"http://127.0.0.1:{port}/livez", headers={"Host": self._host})
        try:
            with urlopen(asked, timeout=5) as answer:
                return int(answer.status) == HTTPStatus.NO_CONTENT
        except OSError:
            return False

    @property
    def _host(self) -> str:
        return urlsplit(self.options.portal_url).netloc

    @override
    def server_parts(self) -> list[ManagedProcess]:
        """Return every process but the stores and the agents; the proxy comes last."""
        found = []
        for index in range(2):
            parts = {part.name: part for part in server_processes(self._webs[index])}
            found += [self._numbered(parts[name], index) for name in PAIRS]
        single = {part.name: part for part in server_processes(0)}
        config = self._write_config()
        proxy = ManagedProcess("proxy", [str(shutil.which("haproxy")), "-f", str(config), "-db"])
        return [*found, single["worker"], single["beat"], proxy]

    @override
    def environment_of(self, name: str) -> dict[str, str]:
        """Let every live process know both web processes, and be found by its own address."""
        upstream = ",".join(f"http://127.0.0.1:{port}" for port in self._webs)
        return {**super().environment_of(name), "BERTH_WEB_UPSTREAM": upstream}

    def _numbered(self, part: ManagedProcess, index: int) -> ManagedProcess:
        name, command = f"{part.name}-{index + 1}", list(part.command)
        if part.name == "live":
            portal, apps = self._lives[index]
            command += ["--portal-port", str(portal), "--apps-port", str(apps)]
        if part.name == "scheduler":
            command = [word.replace("scheduler@", f"{name}@") for word in command]
        return ManagedProcess(name, command, stop_s=part.stop_s)

    def _write_config(self) -> Path:
        text = _CONFIG.format(
            portal=f"127.0.0.1:{self.options.portal_port}",
            apps=f"127.0.0.1:{self.options.apps_port}",
            host=self._host,
            ports=self._lives,
        )
        path = self.folder / "haproxy.cfg"
        path.write_text(text, encoding="utf-8")
        return path
