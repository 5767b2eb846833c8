"""Bases for the admin's pages, and the page of the audit log."""

from core.admin.audit_entries import AuditEntryAdmin

__all__ = ["AuditEntryAdmin"]
