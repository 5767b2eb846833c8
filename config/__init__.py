"""Settings, addresses, schedule and the servers' entry points."""

import gc

# With the defaults (700, 10, 10) the garbage collector scans long-lived objects again and again:
# the loaded modules (a tenth of the start-up time) and hundreds of objects per socket (a third of
# the processor when many clients reconnect). Closed sockets are collected after two million new
# objects.
gc.set_threshold(20_000, 10, 10)
