"""`python -m bench.card_map`: the map of 10,000 GPUs in Chromium, panned and with all values changing.

The modules that place and draw cards are those of the page; they are compiled as they are and run in a
blank one. Every picture of the screen is drawn again: in one run the map moves, in the other every value
changes too. Frames are those that the browser shows; processor time is that of one drawing with
its rasterisation in the main thread.
"""

import argparse
import json
import subprocess
import sys
import tempfile
import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Final

from playwright.sync_api import sync_playwright
from typing_extensions import override

from deploy.onebox.options import REPOSITORY
from tests.chromium import chromium_path

CARDS: Final = 10_000
SECONDS: Final = 4
FRAMES_MIN: Final = 50.0
RESULT: Final = Path("var/bench/card_map.json")
FLAGS: Final = ["--no-sandbox", "--disable-gpu"]
_COMPILE: Final = """
import { createRequire } from "node:module";
const [folder, to] = process.argv.slice(1);
const { rolldown } = createRequire(folder + "/package.json")("rolldown");
const model = folder + "/src/features/nodes/model/";
const bundle = await rolldown({
  input: { "card-places": model + "card-places.ts", "card-paint": model + "card-paint.ts", cards: model + "cards.ts" },
  preserveEntrySignatures: "strict", resolve: { alias: { "@": folder + "/src" } }, cwd: folder,
});
await bundle.write({ dir: to, format: "esm" });
"""
_PAGE: Final = """<!doctype html><body style="margin:0"><canvas width="1400" height="620"></canvas>
<script type="module">
import { fitView, placeCards } from "./card-places.js";
import { paintMap, paintParts, paintValues, SCALE } from "./card-paint.js";
import { cardsOf } from "./cards.js";
const ctx = document.querySelector("canvas").getContext("2d");
const theme = { free: "#edf1f3", edge: "#b9c5cb", taken: "#8397a1", mine: "#0b7d96", idle: "#8f5600",
  broken: "#b42318", out: "#b9c5cb", text: "#16242b", ground: "#fff", hues: SCALE.slice(0, 8),
  font: "sans-serif" };
function mapOf(count) {
  const each = (make) => Array.from({ length: count }, (_, at) => make(at));
  const nodes = Array.from({ length: count / 8 }, (_, at) => ({
    id: `n${at}`, name: `gpu-${at}`, pool: at % 4, state: "ready", hold: "" }));
  return { order: "x", cards_total: count, nodes, models: ["H100"],
    pools: [0, 1, 2, 3].map((at) => ({ id: `p${at}`, name: `p${at}`, title_en: `Pool ${at}`, title_zh: "" })),
    people: [], groups: [], holders: { mine: [false], kind: ["training"], workload: ["w"],
      name: ["w"], owner: [-1], group: [-1], idle_since: [null] },
    parts: { card: each((at) => at), slot: each(() => 0), gpu_milli: each(() => 1000),
      holder: each(() => 0), is_lent: each(() => false) },
    cards: { id: each((at) => `c${at}`), node: each((at) => at >> 3), index: each((at) => at & 7),
      model: each(() => 0), state: each((at) => (at % 97 ? "ok" : "bad")), fault: each(() => ""),
      slices: each(() => 1), memory_mib: each(() => 81920) } };
}
function percentile(values, part) {
  return values.sort((a, b) => a - b)[Math.floor(values.length * part)];
}
window.measure = (count, seconds, changes, zoom) => new Promise((done) => {
  const places = placeCards(cardsOf(mapOf(count)), 1400 / 620);
  const fit = fitView(places, 1400, 620);
  const values = new Float64Array(count);
  const still = paintParts(places, theme, () => theme.taken);
  const [took, began] = [[], performance.now()];
  let frames = 0;
  const draw = (at) => {
    const start = performance.now();
    let runs = still;
    if (changes) {
      for (let card = 0; card < count; card += 1) values[card] = Math.random() * 100;
      runs = paintValues(places, (card) => values[card.at], [0, 100]);
    }
    const swing = Math.sin(at / 300) * 40;
    const view = { x: fit.x + swing, y: fit.y + swing / 2, zoom: fit.zoom * zoom };
    paintMap(ctx, { places, runs, theme, view, width: 1400, height: 620, focus: 0, poolTitle: (id) => id });
    took.push(performance.now() - start);
    frames += 1;
    if (at - began < seconds * 1000) requestAnimationFrame(draw);
    else done({ fps: (1000 * (frames - 1)) / (at - began), p50: percentile(took, 0.5),
      p95: percentile(took, 0.95) });
  };
  requestAnimationFrame(draw);
});
window.ready = true;
</script>"""
RUNS: Final = {
    "panning": (False, 1),
    "all values change": (True, 1),
    "panning from near": (False, 3),
}


class _Quiet(SimpleHTTPRequestHandler):
    """Serves a folder without a word."""

    @override
    def log_message(self, *_words: Any) -> None:
        """Say nothing."""


def main() -> int:
    """Measure, print, write; 1 when fewer frames are shown than promised."""
    parser = argparse.ArgumentParser(prog="python -m bench.card_map")
    parser.add_argument("--cards", type=int, default=CARDS)
    parser.add_argument("--seconds", type=int, default=SECONDS, help="of each run")
    parser.add_argument("--json", type=Path, default=RESULT)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        _compile(Path(folder))
        found = _measure(folder, options.cards, options.seconds)
    options.json.parent.mkdir(parents=True, exist_ok=True)
    options.json.write_text(json.dumps(found, indent=2) + "\n", encoding="utf-8")
    print(
        f"{options.cards:,} GPUs{'':<14}{'frames/s':>10}{'draw p50 ms':>13}{'draw p95 ms':>13}{'CPU ms':>9}"
    )
    for name, figures in found.items():
        print(
            f"{name:<26}{figures['fps']:>10.1f}{figures['p50']:>13.1f}{figures['p95']:>13.1f}"
            f"{figures['cpu']:>9.1f}"
        )
    return int(min(figures["fps"] for figures in found.values()) < FRAMES_MIN)


def _compile(folder: Path) -> None:
    frontend = REPOSITORY / "frontend"
    command = ["node", "--input-type=module", "-e", _COMPILE, str(frontend), str(folder)]
    subprocess.run(command, check=True)
    (folder / "index.html").write_text(_PAGE, encoding="utf-8")


def _measure(folder: str, cards: int, seconds: int) -> dict[str, dict[str, float]]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=folder))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=chromium_path(), args=FLAGS)
            page = browser.new_page(viewport={"width": 1440, "height": 700})
            page.goto(f"http://127.0.0.1:{server.server_port}/")
            page.wait_for_function("window.ready")
            session = page.context.new_cdp_session(page)
            session.send("Performance.enable")
            found = {}
            for name, (changes, zoom) in RUNS.items():
                busy = _busy_s(session)
                asked = [cards, seconds, changes, zoom]
                figures = page.evaluate("asked => window.measure(...asked)", asked)
                frames = max(figures["fps"] * seconds, 1)
                found[name] = {**figures, "cpu": 1000 * (_busy_s(session) - busy) / frames}
            browser.close()
            return found
    finally:
        server.shutdown()


def _busy_s(session: Any) -> float:
    """Return for how long the main thread of the page has been at work."""
    metrics = session.send("Performance.getMetrics")["metrics"]
    return next(float(each["value"]) for each in metrics if each["name"] == "TaskDuration")


if __name__ == "__main__":
    sys.exit(main())
