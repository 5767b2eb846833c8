#!/bin/sh
# granian 2.8.9 ends open WebSockets on SIGTERM without a close frame and without an event for the application.
#
# Guess before: on SIGTERM an open WebSocket gets close code 1012 (or 1001), as with uvicorn.
# Behaviour: the client sees 1006 (no close frame) after a graceful stop that takes no time, and the ASGI application
# receives no `websocket.disconnect`; uvicorn 0.54.0 sends 1012 to both.
# Why it matters: code that runs when a socket ends (presence, group membership, counters of sockets) does not run at a
# restart, and clients cannot tell an orderly restart from a lost connection.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet granian==2.8.9 uvicorn==0.54.0 websockets==17.4
cd "$folder"
cat > app.py <<'PYTHON'
async def app(scope, receive, send):
    if scope["type"] == "lifespan":
        for kind in ("startup", "shutdown"):
            await receive()
            await send({"type": f"lifespan.{kind}.complete"})
        return
    await receive()
    await send({"type": "websocket.accept"})
    while (message := await receive())["type"] != "websocket.disconnect":
        await send({"type": "websocket.send", "text": "here"})
    with open("ends.txt", "a") as ends:
        ends.write(f"{message.get('code')}\n")
PYTHON
venv/bin/python - <<'PYTHON'
import asyncio
import signal
import socket
import subprocess
from pathlib import Path

import websockets

SERVERS = {
    "granian": ["--interface", "asgi", "--log-level", "error"],
    "uvicorn": ["--log-level", "error"],
}


async def stopped(name, options):
    """Return the close code that the client sees, and those that the application was sent."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    server = subprocess.Popen([f"venv/bin/{name}", *options, "--port", str(port), "app:app"])
    for _ in range(100):
        try:
            client = await websockets.connect(f"ws://127.0.0.1:{port}/")
            break
        except OSError:
            await asyncio.sleep(0.2)
    await client.send("anybody?")
    assert await client.recv() == "here"
    server.send_signal(signal.SIGTERM)
    await asyncio.wait_for(client.wait_closed(), 20)
    server.wait(20)
    ends = Path("ends.txt")
    sent = ends.read_text().split() if ends.exists() else []
    ends.unlink(missing_ok=True)
    return client.close_code, sent


for name, options in SERVERS.items():
    found = asyncio.run(stopped(name, options))
    print(f"{name}: client {found[0]}, application {found[1]}")
    assert found == {"granian": (1006, []), "uvicorn": (1012, ["1012"])}[name], f"changed: {name}"
PYTHON
