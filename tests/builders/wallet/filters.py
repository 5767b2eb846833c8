"""Invalid filters of a statement."""

from __future__ import annotations

SENSELESS = [
    {"kind": "theft"},
    {"currency": "EUR"},
    {"booked_from": "yesterday"},
    {"booked_from": "2026-02-30"},
    {"booked_from": "2026-03-02", "booked_to": "2026-03-01"},
]
