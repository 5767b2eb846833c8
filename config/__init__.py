"""Settings, addresses, schedule and the servers' entry points."""
