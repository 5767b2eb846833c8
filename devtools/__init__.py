"""Demo, sample data, simulation, and PostgreSQL and Valkey from wheels for machines without them.

The modules that start servers do not import Django: they run before the settings are read.
"""
