"""Refusals about players' accounts and staff actions on them."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from core.exceptions import Refusal


class PlayerError(Refusal):
    """The base of refusals about accounts."""


class NotAGuest(PlayerError):
    """The account is no longer a guest's: it has an e-mail address and a password."""


class StaffAccount(PlayerError):
    """The account belongs to a member of staff; only superusers act on it."""


class SharedInterest(PlayerError):
    """A member of staff takes part in, or has money in, what they act on."""


class ReasonMissing(PlayerError):
    """Staff must give a reason for acting on an account."""


class ReauthenticationRequired(PlayerError, status=403):
    """The session is valid, but its user has not re-authenticated within the last minutes."""


class EnrolmentRefused(PlayerError):
    """The account is not a staff account without a second factor."""


class BadEnrolmentLink(PlayerError, status=403):
    """A link to set up a second factor is used, has expired or belongs to another account."""


class TooManyLinks(PlayerError, status=429):
    """A link to set up a second factor was sent a few minutes ago."""


class NotForGuests(PlayerError):
    """The action is not available to guests, whose account is tied to one browser."""


class TooManyTokens(PlayerError):
    """The player has reached the maximum number of tokens."""


class TokenScope(PlayerError, status=403):
    """The token's scope does not include the request."""


class PushUnavailable(PlayerError):
    """The installation has no key for push notifications."""


class BadSubscription(PlayerError, status=400):
    """A Web Push endpoint is not a public address, or its keys are invalid."""


class BirthDateGiven(PlayerError):
    """The account already has another birth date; only staff can correct it."""


class PlaceGiven(PlayerError):
    """The account already has another place; only staff can correct it."""


class PlaceStillDoubted(PlayerError):
    """The location of the IP address does not match the account."""


class BadTaxNumber(PlayerError, status=422):
    """The value is not a valid PAN of a person."""


class TaxNumberGiven(PlayerError):
    """The account already has another PAN; staff can remove a mistyped one."""


class TaxNumberTaken(PlayerError):
    """Another open account has this PAN."""


class BadPhoneNumber(PlayerError, status=422):
    """The value is not a mobile number."""


class BadPhoneCode(PlayerError, status=422):
    """The code is wrong, expired, or was guessed too often; the message does not say which."""


class TooManyNumbers(PlayerError, status=429):
    """The player has changed their mobile number too often today."""


class BadDocument(PlayerError, status=422):
    """A file is not a JPEG, PNG or PDF, or is too large, or the number of files is wrong."""


class BadName(PlayerError, status=422):
    """A name is empty, too long or unreadable."""


class IdentityPending(PlayerError):
    """Documents are being checked, or the identity is verified already."""


class TooManyChecks(PlayerError, status=429):
    """The player has submitted documents too often this month."""


class DocumentGone(PlayerError):
    """The document has been deleted on schedule, or no key decrypts it."""


class ProviderUnknown(PlayerError, status=404):
    """No identity provider with this name accepts notices."""


class ProviderUnavailable(PlayerError, status=503):
    """The identity provider is unavailable or answered with an error; the step is retried."""


class BadNoticeSignature(PlayerError, status=400):
    """The signature of a notice is invalid."""


class UnreadableNotice(PlayerError, status=400):
    """The identity provider's notice lacks required fields."""


class BadBirthDate(PlayerError, status=422):
    """The birth date is in the future or too long ago."""


class BreakTooShort(PlayerError, status=422):
    """A break of this length is not offered, or a longer one is running."""


class NotOfStaff(PlayerError):
    """Only active members of staff work on cases."""


class CaseTaken(PlayerError):
    """Another member of staff has the case and must assign it."""


class BadRemark(PlayerError, status=422):
    """A note or message is empty, too long or unreadable."""


class CaseHasNoPlayer(PlayerError):
    """The case has no player to write to."""


class AddressMissing(PlayerError, status=422):
    """A message from a visitor needs an e-mail address for the answer."""


class RequestPending(PlayerError):
    """The player has an open request about the same, or the request is already answered."""


class TooManyReplies(PlayerError, status=429):
    """The player has written to staff too often today."""


class PlaceUnknown(PlayerError):
    """No country or region has this code."""


class NotEligible(PlayerError, status=403):
    """The law, the operator or the player's own choice does not allow an action."""

    def __init__(
        self,
        message: str = "",
        *,
        since: datetime | None = None,
        until: datetime | None = None,
        steps: Sequence[Mapping[str, Any]] = (),
    ) -> None:
        """`steps` is the checklist to complete, if the reason is one of its steps."""
        moments = {"since": since, "until": until}
        details: dict[str, Any] = {
            name: moment.isoformat() for name, moment in moments.items() if moment
        }
        super().__init__(message, **details | ({"steps": [*steps]} if steps else {}))


class PlayProhibited(NotEligible):
    """All play, play points included, is prohibited where the player lives (RB 11.6)."""


class CoolingOff(NotEligible):
    """The player has taken a break."""


class SelfExcluded(NotEligible):
    """The player has excluded themselves from play."""


class PlayHeld(NotEligible):
    """Staff have put play of this account on hold."""


class DepositsHeld(NotEligible):
    """Staff have put deposits of this account on hold."""


class WithdrawalsHeld(NotEligible):
    """Staff have put withdrawals of this account on hold."""


class CashNotOffered(NotEligible):
    """Play for money is not offered in the player's place (RB 11.6)."""


class GuestAccount(NotEligible):
    """Guests play for play points only; the account must be registered first."""


class PlaceNotGiven(NotEligible):
    """The player has not said where they live."""


class CashWindingDown(NotEligible):
    """Cash play is in wind-down: money can only be withdrawn (RB 11.6)."""


class PlaceDoubted(NotEligible):
    """The IP address is in another place than the account."""


class AgeUnknown(NotEligible):
    """The player has given no birth date."""


class UnderAge(NotEligible):
    """The player is too young to play for money."""


class EmailUnverified(NotEligible):
    """The player has not confirmed an e-mail address."""


class ConsentOutdated(NotEligible):
    """The player has not agreed to the current text on stored network and device data."""


class IdentityUnverified(NotEligible):
    """The player's identity is not verified, but the action needs it."""


class PayeeNotPlayer(NotEligible):
    """The bank account is not in the name of the player's documents."""


class LimitOutOfRange(PlayerError, status=422):
    """A player's own limit has a figure, a period or a currency that is not offered."""


class LossLimitReached(NotEligible, code="loss_limit"):
    """The entry could lose more than what is left of the player's own limit."""


class StakeLimitReached(NotEligible, code="stake_limit"):
    """The entry would stake more in one game than the player's own limit allows."""


class TableLimitReached(NotEligible, code="table_limit"):
    """The player sits at as many tables as their own limit allows."""


class TimeLimitReached(NotEligible, code="time_limit"):
    """The player has used up the playing time of their own limit."""
