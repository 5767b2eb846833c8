"""Turns sent over HTTP, as the plainest client sends them."""

from __future__ import annotations

from uuid import uuid4

from tests.builders.tables.playing import reread


def address_of(table):
    return f"/api/v1/tables/{table.public_id}/moves/"


def turn(table, **more):
    version = reread(table).version
    return {"move_id": str(uuid4()), "expected_version": version, "move": "ds"} | more


def send(client, table, *, headers=None, **more):
    sent = turn(table, **more)
    return client.post(address_of(table), sent, content_type="application/json", headers=headers)
