"""Redis: where it is, and counters kept in it."""
