"""The connection pool retries a lost server every second."""

from core.db.backend.base import AttemptWithBackoff


def test_unavailable_server_is_tried_every_second():
    attempt, now, pauses = AttemptWithBackoff(timeout=300.0), 0.0, []

    for _ in range(30):
        attempt.update_delay(now)
        pauses.append(attempt.delay)
        now += attempt.delay

    assert 0.8 < min(pauses) <= max(pauses) < 1.2
