"""What a parallel run of the tests shares, and in which process."""

import os

import pytest

pytestmark = pytest.mark.skipif(
    "PYTEST_XDIST_WORKER" not in os.environ, reason="one process runs all the tests"
)


def test_a_files_tests_stay_together(request):
    assert request.node.nodeid.endswith("@tests/suite/test_parallel_run.py")
