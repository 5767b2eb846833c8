"""Statements of the application's own session."""

from __future__ import annotations

from typing import Any

from django.db import connection


def run(sql: str) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(sql)
        return cursor.fetchall() if cursor.description else []
