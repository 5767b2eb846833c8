"""A pool whose server is lost asks for it again soon, however long it has been away."""

from core.db.backend.base import AttemptWithBackoff


def test_a_server_that_is_away_is_asked_for_every_second():
    attempt, now, pauses = AttemptWithBackoff(timeout=300.0), 0.0, []

    for _ in range(30):
        attempt.update_delay(now)
        pauses.append(attempt.delay)
        now += attempt.delay

    assert 0.8 < min(pauses) <= max(pauses) < 1.2
