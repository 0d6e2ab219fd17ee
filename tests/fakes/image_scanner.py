"""A small scanner: prints the report that a file beside it holds, as Trivy does, and what it was given.

Its arguments: the file of the report, the file in which it notes how it was called, the image.
"""

import json
import os
import sys
from pathlib import Path


def main() -> int:
    """Write down the call, and print the report; exit with 1, as scanners do that found something."""
    report, note, image = sys.argv[1:]
    config = Path(os.environ["DOCKER_CONFIG"], "config.json")
    called = {
        "image": image,
        "docker": json.loads(config.read_text()),
        "portal": sorted(name for name in os.environ if name.startswith("BERTH_")),
    }
    Path(note).write_text(json.dumps(called))
    if not Path(report).exists():
        sys.stderr.write("FATAL no such image\n")
        return 1
    sys.stdout.write(Path(report).read_text())
    return 1


if __name__ == "__main__":
    sys.exit(main())
