"""Guesses that were written down before the numbers were measured, in the units of the page."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

GUESSES: Final[Mapping[tuple[str, str, str, str], float]] = {
    ("dealt", "total-rummy", "all", "points"): 67.3,
    ("dealt", "total-rummy", "all", "pure"): 35.0,
    ("dealt", "total-rummy", "all", "both"): 20.5,
    ("dealt", "total-rummy", "all", "declarable"): 0.1,
    ("dealt", "total-rummy", "all", "points=80"): 56.0,
    ("dealt", "total-rummy", "0 jokers", "points"): 77.5,
    ("dealt", "total-rummy", "1 jokers", "points"): 67.0,
    ("dealt", "total-rummy", "2 jokers", "points"): 59.0,
    ("dealt", "total-rummy", "3 jokers", "points"): 53.0,
    ("dealt", "total-rummy", "4 jokers", "points"): 49.0,
    ("counted", "total-rummy", "all", "jokers"): 1.11,
    ("counted", "total-rummy", "all", "jokers=0"): 28.9,
    ("played-on", "2 seats", "seat 1", "won"): 52.5,
    ("played-on", "3 seats", "seat 1", "won"): 35.5,
    ("played-on", "4 seats", "seat 1", "won"): 27.0,
    ("played-on", "5 seats", "seat 1", "won"): 22.0,
    ("played-on", "6 seats", "seat 1", "won"): 18.5,
    ("played-on", "2 seats", "deal", "turns"): 15.0,
    ("played-on", "6 seats", "deal", "turns"): 9.5,
    ("pools", "total-rummy-pool-101, 2 seats", "pool", "deals"): 4.2,
    ("pools", "total-rummy-pool-101, 3 seats", "pool", "deals"): 5.8,
    ("pools", "total-rummy-pool-101, 4 seats", "pool", "deals"): 6.5,
    ("pools", "total-rummy-pool-101, 5 seats", "pool", "deals"): 6.6,
    ("pools", "total-rummy-pool-61, 4 seats", "pool", "deals"): 4.1,
    ("pools", "total-rummy-pool-201, 4 seats", "pool", "deals"): 12.5,
    ("pools", "vengala-pool-101, 4 seats", "pool", "deals"): 4.7,
}
"""By table, cell, group and measure."""
