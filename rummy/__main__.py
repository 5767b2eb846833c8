"""The entry point of `python -m rummy` and of the installed command `rummy`."""

import io
import os
import signal
import sys
from collections.abc import Sequence

from rummy.command_line.cli import main


def run(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code, also if the output is closed or full.

    >>> run(["score", "5H 6H 7H KD KS 2C", "--wild", "9"]) == 0
    points: 40
    raw_points: 40
    declarable: no
    deadwood: 2C KD 5H 6H 7H KS
    unmet: one_sequence_only
    True
    """
    if not sys.stdout:  # Closed before the start.
        if sys.stderr:
            sys.stderr.write("no_output: standard output is closed\n")
        return 1
    for stream in (sys.stdin, sys.stdout):
        # Files are UTF-8, independent of the terminal's encoding.
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="surrogateescape")
    try:
        code = main(arguments)
        sys.stdout.flush()
    except BrokenPipeError:  # The reader has closed the pipe; a flush at exit would fail.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = 0
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.stderr.write(f"no_output: {error.strerror}\n")
        code = 1
    except KeyboardInterrupt:
        code = 128 + signal.SIGINT
    return code


if __name__ == "__main__":
    sys.exit(run())
