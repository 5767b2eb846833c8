"""Settings, addresses, schedule and the servers' entry points."""

import gc

# By default (700, 10, 10) the collector looks again and again through what lives long: all that a
# process loads (a tenth of its start), and the hundreds of objects of each socket (a third of the
# processor in a storm of reconnects). What closed sockets leave waits for two million new objects.
gc.set_threshold(20_000, 10, 10)
