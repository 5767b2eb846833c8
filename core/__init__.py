"""Shared parts of all apps: the database, the audit log, refusals, the API's framework."""
