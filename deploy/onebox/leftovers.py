"""What a killed launcher left: servers that run on, and files with the numbers of servers gone."""

import signal
from pathlib import Path

import psutil

from deploy.onebox.options import RefusedError

LEAVE_S = 60


def end_leftover(pid_file: Path, folder: Path, stop_signal: signal.Signals) -> None:
    """Stop the server of `folder` that `pid_file` names, wait for its end and remove the file.

    Its number may be another program's by now; most servers look only whether it is taken and
    then refuse to start, or wait for an answer of what does not answer.

    Raises `RefusedError` when the server does not end.
    """
    try:
        leftover = psutil.Process(int(pid_file.read_text().split()[0]))
        if any(str(folder) in argument for argument in leftover.cmdline()):
            leftover.send_signal(stop_signal)
            leftover.wait(LEAVE_S)
    except psutil.TimeoutExpired:
        raise RefusedError(f"the server of an earlier start does not end: {pid_file}") from None
    except (FileNotFoundError, IndexError, ValueError, psutil.NoSuchProcess):
        pass
    pid_file.unlink(missing_ok=True)
