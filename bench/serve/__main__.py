"""`make bench-serve`: what the inference gateway costs, in front of back ends with a name.

The client is wrk with one thread and 16 connections. What a busy machine changes little is the processor
time of a request, so requests per processor second are held against the limit, and shares of direct.
"""

import argparse
import json
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Final

import httpx

from bench.serve.ways import GATEWAY, Way, backend, ways_to
from tests.inference_gateway import SECRET

RESULT: Final = Path("var/bench/serve.json")
BACK_ENDS: Final = {"static, 100 bytes": 0.0, "20 ms": 20.0}
PER_CPU_SECOND_MIN: Final = 3000.0
"""Requests that one process of the gateway answers with a second of a processor, static back end."""
SHARE_MIN: Final = 0.9
"""Of direct, before a back end that takes 20 ms."""
STREAMS: Final = 60
_SCRIPT: Final = """
wrk.headers["Authorization"] = "Bearer {secret}"
wrk.headers["Content-Type"] = "application/json"
wrk.method = "{method}"
wrk.path = wrk.path .. "{path}"
{body}
"""
_PLAIN: Final = ("GET", "/predict", "")
_CHAT_PATH: Final = "/v1/chat/completions"
_CHAT: Final = ("POST", _CHAT_PATH, """wrk.body = '{"messages": [{"content": "hello"}]}'""")
CALLS: Final = {"plain": _PLAIN, "chat": _CHAT}


@dataclass(frozen=True, slots=True)
class Figures:
    """One way to one back end."""

    back_end: str
    call: str
    way: str
    per_s: float
    share: float
    """Of direct in the same round."""
    p50_ms: float
    cpu_us: float
    """Processor time of a request on this way."""
    first_byte_ms: float
    """Of a stream, alone, median."""


def main() -> int:
    """Measure, print, write; 1 when a promise is not kept."""
    parser = argparse.ArgumentParser(prog="python -m bench.serve")
    parser.add_argument("--seconds", type=int, default=5)
    parser.add_argument("--back-end", choices=BACK_ENDS, action="append", help="only these")
    parser.add_argument("--json", type=Path, default=RESULT)
    options = parser.parse_args()
    if shutil.which("wrk") is None:
        print("bench.serve needs wrk: apt-get install wrk nginx-light haproxy", file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory() as folder:
        chosen = options.back_end or list(BACK_ENDS)
        found = list(_measure(Path(folder), options.seconds, chosen))
    options.json.parent.mkdir(parents=True, exist_ok=True)
    text = json.dumps([asdict(each) for each in found], indent=2) + "\n"
    options.json.write_text(text, encoding="utf-8")
    return int(not _is_kept(found))


def _measure(folder: Path, seconds: int, chosen: Sequence[str]) -> Iterator[Figures]:
    heads = ("back end", "call", "way", "per s", "share", "p50 ms", "CPU us", "first byte ms")
    print("{:<18}{:<7}{:<9}{:>9}{:>7}{:>9}{:>9}{:>15}".format(*heads))
    for name in chosen:
        with backend(BACK_ENDS[name]) as port, ways_to(port, folder) as ways:
            for call in CALLS:
                for each in _compare(name, call, ways, folder, seconds):
                    print(
                        f"{each.back_end:<18}{each.call:<7}{each.way:<9}{each.per_s:>9.0f}"
                        f"{each.share:>7.2f}{each.p50_ms:>9.2f}{each.cpu_us:>9.0f}"
                        f"{each.first_byte_ms:>15.2f}"
                    )
                    yield each


def _compare(
    back_end: str, call: str, ways: Sequence[Way], folder: Path, seconds: int
) -> Iterator[Figures]:
    direct = 0.0
    for way in ways:
        _press(way, call, folder, 1)
        before = way.cpu_s()
        count, per_s, p50_ms = _press(way, call, folder, seconds)
        spent = way.cpu_s() - before
        direct = direct or per_s
        first = _first_byte_ms(way)
        cpu_us = 1e6 * spent / count
        yield Figures(back_end, call, way.name, per_s, per_s / direct, p50_ms, cpu_us, first)


def _press(way: Way, call: str, folder: Path, seconds: int) -> tuple[int, float, float]:
    """Return requests, requests a second and the median in milliseconds; refuses failed answers."""
    method, path, body = CALLS[call]
    script = folder / "call.lua"
    script.write_text(_SCRIPT.format(secret=SECRET, method=method, path=path, body=body))
    command = ["wrk", "-t1", "-c16", f"-d{seconds}", "--latency", "-s", str(script), way.url]
    told = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    if "Non-2xx" in told or "Socket errors" in told:
        raise RuntimeError(f"{way.name}: {told}")
    ((p50, unit),) = re.findall(r"50%\s+([\d.]+)(us|ms|s)", told)
    ((count, per_s),) = re.findall(r"(\d+) requests in[^$]*Requests/sec:\s+([\d.]+)", told)
    return int(count), float(per_s), float(p50) * {"us": 0.001, "ms": 1.0, "s": 1000.0}[unit]


def _first_byte_ms(way: Way) -> float:
    """Return the median time to the first event of a stream."""
    headers = {"Authorization": f"Bearer {SECRET}"}
    found = []
    with httpx.Client() as client:
        for _ in range(STREAMS):
            began = perf_counter()
            asked = {"messages": [], "stream": True}
            url = way.url + _CHAT_PATH
            with client.stream("POST", url, json=asked, headers=headers) as answer:
                chunks = answer.iter_raw()
                next(chunks)
                found.append(perf_counter() - began)
                for _ in chunks:
                    pass
    return 1000 * median(found)


def _is_kept(found: Sequence[Figures]) -> bool:
    static, slow = BACK_ENDS
    ours = [each for each in found if each.way == GATEWAY]
    rates = [1e6 / each.cpu_us for each in ours if each.back_end == static]
    shares = [each.share for each in ours if each.back_end == slow]
    return all(each >= PER_CPU_SECOND_MIN for each in rates) and all(
        each >= SHARE_MIN for each in shares
    )


if __name__ == "__main__":
    sys.exit(main())
