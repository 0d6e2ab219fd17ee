"""The ways to a back end that are compared: each one process, on one processor."""

import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import psutil

from bench.live_process import START_S
from deploy.onebox.options import REPOSITORY, find_free_port, is_port_taken
from tests.inference_gateway import write_routes
from tests.waiting import wait_until

GATEWAY: Final = "gateway"
"""Ours: with key, limit, least outstanding requests, and meters."""
_PREFIX: Final = "/llm/small"
_HAPROXY: Final = """
global
  nbthread 1
  maxconn 4096
defaults
  mode http
  timeout connect 5s
  timeout client 60s
  timeout server 60s
  option http-keep-alive
  option http-no-delay
frontend f
  bind 127.0.0.1:{port}
  default_backend b
backend b
  http-reuse always
  server s 127.0.0.1:{to}
"""
_NGINX: Final = """
worker_processes 1;
daemon off;
pid {folder}/nginx.pid;
error_log stderr crit;
events {{ worker_connections 4096; }}
http {{
  access_log off;
  client_body_temp_path {folder}/body;
  proxy_temp_path {folder}/proxy;
  fastcgi_temp_path {folder}/fastcgi;
  uwsgi_temp_path {folder}/uwsgi;
  scgi_temp_path {folder}/scgi;
  keepalive_requests 1000000000;
  upstream b {{ server 127.0.0.1:{to}; keepalive 64; keepalive_requests 1000000000; }}
  server {{
    listen 127.0.0.1:{port};
    location / {{
      proxy_pass http://b;
      proxy_http_version 1.1;
      proxy_set_header Connection "";
      proxy_buffering off;
    }}
  }}
}}
"""


@dataclass(frozen=True, slots=True)
class Way:
    """One way to a back end."""

    name: str
    url: str
    processes: tuple[psutil.Process, ...] = ()
    """What it needs besides client and back end."""

    def cpu_s(self) -> float:
        """Return the processor time spent so far."""
        times = [each.cpu_times() for each in self.processes]
        return float(sum(each.user + each.system for each in times))


@contextmanager
def backend(delay_ms: float) -> Iterator[int]:
    """Provide the port of a back end."""
    port = find_free_port()
    command = [sys.executable, "-m", "bench.serve.backend", str(port), str(delay_ms)]
    with _running(command, port):
        yield port


@contextmanager
def ways_to(port: int, folder: Path) -> Iterator[Sequence[Way]]:
    """Provide every way to a back end that can be had here; nginx and HAProxy where they are installed."""
    with ExitStack() as stack:
        found = [Way("direct", f"http://127.0.0.1:{port}")]
        for name, text in {"haproxy": _HAPROXY, "nginx": _NGINX}.items():
            if program := shutil.which(name, path="/usr/sbin:/usr/local/sbin:/usr/bin"):
                own, file = find_free_port(), folder / f"{name}.conf"
                file.write_text(text.format(port=own, to=port, folder=folder))
                options = ["-f", str(file), "-db"] if name == "haproxy" else ["-c", str(file)]
                process = stack.enter_context(_running([program, *options], own))
                found.append(Way(name, f"http://127.0.0.1:{own}", _with_children(process)))
        own = find_free_port()
        write_routes(folder, port, requests_per_minute=10**9)
        command = [sys.executable, "-m", "tests.inference_gateway", str(folder)]
        process = stack.enter_context(_running([*command, "--port", str(own)], own))
        found.append(Way(GATEWAY, f"http://127.0.0.1:{own}{_PREFIX}", (process,)))
        yield found


def _with_children(process: psutil.Process) -> tuple[psutil.Process, ...]:
    wait_until(lambda: process.children() or process.name() == "haproxy", within_s=START_S)
    return (process, *process.children())


@contextmanager
def _running(
    command: Sequence[str], port: int, env: Mapping[str, str] | None = None
) -> Iterator[psutil.Process]:
    process = subprocess.Popen(command, cwd=REPOSITORY, env=env)
    try:
        wait_until(lambda: is_port_taken(port), within_s=START_S)
        yield psutil.Process(process.pid)
    finally:
        process.terminate()
        process.wait(START_S)
