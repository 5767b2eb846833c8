"""The project's own PostgreSQL and Valkey, from wheels, for machines that have neither.

Nothing here imports Django: the servers are up before the settings are read.
"""
