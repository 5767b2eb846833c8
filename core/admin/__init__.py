"""Base classes of admin pages, the admin pages of `core`, and the CSV export of every list."""

from core.admin.archived_months import ArchivedMonthAdmin
from core.admin.audit_entries import AuditEntryAdmin
from core.admin.csv_lists import export_csv

__all__ = ["ArchivedMonthAdmin", "AuditEntryAdmin", "export_csv"]
