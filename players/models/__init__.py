"""People, what those of them who are staff have done, and what players are told."""

from players.models.deed import Deed
from players.models.notice import Notice, NoticeChoice
from players.models.user import HANDLE_PATTERN, User, UserManager, UserQuerySet

__all__ = [
    "HANDLE_PATTERN",
    "Deed",
    "Notice",
    "NoticeChoice",
    "User",
    "UserManager",
    "UserQuerySet",
]
