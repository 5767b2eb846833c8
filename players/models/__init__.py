"""People, and what those of them who are staff have done."""

from players.models.deed import Deed
from players.models.user import HANDLE_PATTERN, User, UserManager, UserQuerySet

__all__ = ["HANDLE_PATTERN", "Deed", "User", "UserManager", "UserQuerySet"]
