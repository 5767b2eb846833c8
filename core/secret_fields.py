"""Secret columns, excluded from the audit log and the admin's filters (`core.admin.read_only`)."""

from __future__ import annotations

from typing import Final

SECRETS: Final = frozenset(
    {
        "password",
        "digest",
        "session_key",
        "encrypted_payee",
        "payee_hash",
        "encrypted_content",
        "number_hash",
        "code_hash",
    }
)
