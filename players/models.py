"""The models of all rooms, gathered where Django looks for them."""

from core.models import AuditEntry
from players.accounts.models import HANDLE_PATTERN, User, UserManager, UserQuerySet
from players.notifications.models import Notice, NoticeChoice

__all__ = [
    "HANDLE_PATTERN",
    "AuditEntry",
    "Notice",
    "NoticeChoice",
    "User",
    "UserManager",
    "UserQuerySet",
]
