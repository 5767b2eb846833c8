"""Tournaments: plans, entries, rounds, prizes."""
