"""A worker survives the loss of Redis while it handles a message."""

import pytest
from redis.exceptions import ConnectionError as RedisGone

from config.celery import app


@pytest.fixture
def connection():
    with app.connection_for_read() as connection:
        yield connection


def test_message_of_a_closed_channel_raises_a_connection_error(connection):
    queue = connection.SimpleQueue("test-broker")
    queue.put("stop")
    message = queue.get(timeout=30)
    connection.close()

    with pytest.raises(RedisGone):
        message.ack()
