"""The admin of all rooms, gathered where Django looks for it."""

from finance.books import admin as books
from finance.exports import admin as exports
from finance.reconciliation import admin as reconciliation
from finance.tokens import admin as tokens

__all__ = ["books", "exports", "reconciliation", "tokens"]
