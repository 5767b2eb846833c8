"""`python -m rummy`."""

import io
import os
import signal
import sys

from rummy.command_line.cli import main

if not sys.stdout:  # Closed before anything began.
    if sys.stderr:
        sys.stderr.write("no_output: standard output is closed\n")
    sys.exit(1)
for stream in (sys.stdin, sys.stdout):
    if isinstance(stream, io.TextIOWrapper):  # Files are UTF-8, whatever the terminal speaks.
        stream.reconfigure(encoding="utf-8", errors="surrogateescape")
try:
    code = main()
    sys.stdout.flush()
except BrokenPipeError:  # The reader has seen enough; nothing may be flushed after it.
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    code = 0
except OSError as error:
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    sys.stderr.write(f"no_output: {error.strerror}\n")
    code = 1
except KeyboardInterrupt:
    code = 128 + signal.SIGINT
sys.exit(code)
