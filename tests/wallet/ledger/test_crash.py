"""A server crash under load loses no acknowledged transfer and leaves none half done."""

from __future__ import annotations

import signal
import time
from concurrent.futures import ThreadPoolExecutor
from threading import Event

import pytest

from tests.builders.processes.dying_processes import assert_nothing_lost, write_until_it_dies

pytestmark = pytest.mark.process
WRITERS = 8


def crash_under_writers(installation, how, seconds):
    acknowledged, asked = set(), {}
    installation.busy = Event()
    with ThreadPoolExecutor(WRITERS) as pool:
        work = [
            pool.submit(write_until_it_dies, installation, number, acknowledged, asked)
            for number in range(WRITERS)
        ]
        assert installation.busy.wait(30)
        time.sleep(seconds)
        installation.die(how)
        for one in work:
            one.result(30)
    installation.start()
    return acknowledged, asked


@pytest.mark.extended
@pytest.mark.parametrize(
    ("crashes", "seconds"), [(2, 0.5), pytest.param(10, 3, marks=pytest.mark.soak)]
)
def test_acknowledged_transfers_survive_a_crash(installation, crashes, seconds):
    acknowledged, asked = set(), {}
    for number in range(crashes):
        how = (signal.SIGKILL, signal.SIGQUIT)[number % 2]
        more_acknowledged, more_asked = crash_under_writers(installation, how, seconds)
        assert len(more_asked) > len(more_acknowledged) > 10
        acknowledged |= more_acknowledged
        asked |= more_asked

    assert_nothing_lost(installation, acknowledged, asked)
