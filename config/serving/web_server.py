"""Granian with a stop that reaches all its workers."""

from __future__ import annotations

import time
from typing import Final

from granian import Granian

ASK_AGAIN_SECONDS: Final = 0.3


class Server(Granian):  # type: ignore[misc, valid-type]
    """Sends SIGTERM again to workers that still run.

    A worker of granian 2.8.7 sometimes loses the signal (5 of 180 stops) and would be killed after
    the timeout; a second signal stops it. A worker that is still answering ignores further ones.

    The overridden method is private: public hooks run only after all workers have stopped.
    """

    def _stop_workers(self) -> None:
        deadline = time.monotonic() + self.workers_kill_timeout
        while time.monotonic() < deadline and any(worker.is_alive() for worker in self.wrks):
            for worker in self.wrks:
                worker.terminate()
            for worker in self.wrks:
                worker.join(ASK_AGAIN_SECONDS)
        super()._stop_workers()
