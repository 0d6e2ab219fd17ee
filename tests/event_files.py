"""A job that leaves event files for TensorBoard, by TensorBoard's own writer."""

from typing import Final

TAG: Final = "loss-of-the-night"
WRITE_EVENTS: Final = f"""#!/usr/bin/env python3
import os
from tensorboard.summary import Writer
writer = Writer(os.environ["BERTH_OUTPUT_DIR"])
for step in range(3):
    writer.add_scalar("{TAG}", 1 / (step + 1), step)
writer.close()
"""
