"""The admin of all rooms, gathered where Django looks for them."""

from players.eligibility.admin import RegionAdmin, RegionChangeAdmin
from players.sign_in.admin import EmailAddressAdmin, UserSessionAdmin
from players.sign_in.users_admin import GroupAdmin, UserAdmin

__all__ = [
    "EmailAddressAdmin",
    "GroupAdmin",
    "RegionAdmin",
    "RegionChangeAdmin",
    "UserAdmin",
    "UserSessionAdmin",
]
