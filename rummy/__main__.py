"""`python -m rummy`."""

import os
import sys

from rummy.cli import main

try:
    code = main()
    sys.stdout.flush()
except BrokenPipeError:  # The reader has seen enough; nothing may be flushed after it.
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    code = 0
sys.exit(code)
