"""Bases for the admin's pages, the page of the audit log, and the action of every list."""

from core.admin.audit_entries import AuditEntryAdmin
from core.admin.csv_lists import export_csv

__all__ = ["AuditEntryAdmin", "export_csv"]
