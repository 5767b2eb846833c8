"""What the pages of staff have in common, and the log of their acts."""

from core.admin.audit_entries import AuditEntryAdmin

__all__ = ["AuditEntryAdmin"]
