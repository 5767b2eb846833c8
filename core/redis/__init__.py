"""Redis: its servers, and counters stored in it."""
