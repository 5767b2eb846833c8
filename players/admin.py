"""The admin classes of all packages, imported where Django discovers them."""

from players.cases.admin import CannedAnswerAdmin, DataRequestAdmin, HelpRequestAdmin
from players.eligibility.admin import HoldAdmin
from players.eligibility.places.admin import PlaceDoubtAdmin, RegionAdmin, RegionChangeAdmin
from players.identity.admin import IdentityCheckAdmin
from players.identity.phones.admin import PhoneNumberAdmin
from players.sign_in.users_admin import (
    EmailAddressAdmin,
    GroupAdmin,
    UserAdmin,
    UserSessionAdmin,
)

__all__ = [
    "CannedAnswerAdmin",
    "DataRequestAdmin",
    "EmailAddressAdmin",
    "GroupAdmin",
    "HelpRequestAdmin",
    "HoldAdmin",
    "IdentityCheckAdmin",
    "PhoneNumberAdmin",
    "PlaceDoubtAdmin",
    "RegionAdmin",
    "RegionChangeAdmin",
    "UserAdmin",
    "UserSessionAdmin",
]
