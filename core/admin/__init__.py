"""Bases for the admin's pages, this floor's own pages, and the action of every list."""

from core.admin.archived_months import ArchivedMonthAdmin
from core.admin.audit_entries import AuditEntryAdmin
from core.admin.csv_lists import export_csv

__all__ = ["ArchivedMonthAdmin", "AuditEntryAdmin", "export_csv"]
