"""The models of all packages, imported where Django discovers them."""

from core.models import AuditEntry
from players.accounts.models import HANDLE_PATTERN, PlayerName, User, UserManager, UserQuerySet
from players.cases.data_request_models import DataRequest
from players.cases.help_models import HelpRequest, RemarkEmail
from players.cases.models import CannedAnswer, Case, Remark
from players.eligibility.break_models import Break
from players.eligibility.hold_models import Hold
from players.eligibility.places.doubt_models import PlaceDoubt
from players.eligibility.places.models import Region, RegionChange
from players.identity.models import IdentityCheck, IdentityDocument
from players.identity.phones.models import PhoneNumber
from players.identity.providers.models import ProviderCheck
from players.identity.tax_number_models import TaxNumber
from players.limits.models import OwnLimit
from players.notifications.models import Notification, NotificationChoice
from players.sign_in.devices.models import PushSubscription
from players.sign_in.enrolment_models import FactorLink
from players.sign_in.security.models import AccountChange
from players.sign_in.tokens.models import PlayerToken

__all__ = [
    "HANDLE_PATTERN",
    "AccountChange",
    "AuditEntry",
    "Break",
    "CannedAnswer",
    "Case",
    "DataRequest",
    "FactorLink",
    "HelpRequest",
    "Hold",
    "IdentityCheck",
    "IdentityDocument",
    "Notification",
    "NotificationChoice",
    "OwnLimit",
    "PhoneNumber",
    "PlaceDoubt",
    "PlayerName",
    "PlayerToken",
    "ProviderCheck",
    "PushSubscription",
    "Region",
    "RegionChange",
    "Remark",
    "RemarkEmail",
    "TaxNumber",
    "User",
    "UserManager",
    "UserQuerySet",
]
