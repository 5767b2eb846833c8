"""Invalid filters of a statement."""

from __future__ import annotations

# Of the API's list of entries.
SENSELESS = [
    {"kind": "theft"},
    {"currency": "EUR"},
    {"booked_from": "yesterday"},
    {"booked_from": "2026-02-30"},
    {"booked_from": "2026-03-02", "booked_to": "2026-03-01"},
]
# Of the page and its files.
SENSELESS_ON_PAGES = [
    {"kind": "theft"},
    {"currency": "EUR"},
    {"period": "2026-13"},
    {"period": "1999-01"},
    {"period": "year-1999"},
]
