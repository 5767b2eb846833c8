"""Refusals about players' accounts and staff actions on them."""

from datetime import datetime

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


class ReauthenticationRequired(PlayerError):
    """The session is valid, but its user has not re-authenticated within the last minutes."""

    status = 403


class EnrolmentRefused(PlayerError):
    """The account is not a staff account without a second factor."""


class BadEnrolmentLink(PlayerError):
    """A link to set up a second factor is used, has expired or belongs to another account."""

    status = 403


class TooManyLinks(PlayerError):
    """A link to set up a second factor was sent a few minutes ago."""

    status = 429


class NotForGuests(PlayerError):
    """The action is not available to guests, whose account is tied to one browser."""


class TooManyTokens(PlayerError):
    """The player has reached the maximum number of tokens."""


class TokenScope(PlayerError):
    """The token's scope does not include the request."""

    status = 403


class PushUnavailable(PlayerError):
    """The installation has no key for push notifications."""


class BadSubscription(PlayerError):
    """A Web Push endpoint is not a public address, or its keys are invalid."""

    status = 400


class BirthDateGiven(PlayerError):
    """The account already has another birth date; only staff can correct it."""


class PlaceGiven(PlayerError):
    """The account already has another place; only staff can correct it."""


class PlaceStillDoubted(PlayerError):
    """The location of the IP address does not match the account."""


class BadTaxNumber(PlayerError):
    """The value is not a valid PAN of a person."""

    status = 422


class TaxNumberGiven(PlayerError):
    """The account already has another PAN; staff can remove a mistyped one."""


class TaxNumberTaken(PlayerError):
    """Another open account has this PAN."""


class BadPhoneNumber(PlayerError):
    """The value is not a mobile number."""

    status = 422


class BadPhoneCode(PlayerError):
    """The code is wrong, expired, or was guessed too often; the message does not say which."""

    status = 422


class TooManyNumbers(PlayerError):
    """The player has changed their mobile number too often today."""

    status = 429


class BadDocument(PlayerError):
    """A file is not a JPEG, PNG or PDF, or is too large, or the number of files is wrong."""

    status = 422


class BadName(PlayerError):
    """A name is empty, too long or unreadable."""

    status = 422


class IdentityPending(PlayerError):
    """Documents are being checked, or the identity is verified already."""


class TooManyChecks(PlayerError):
    """The player has submitted documents too often this month."""

    status = 429


class DocumentGone(PlayerError):
    """The document has been deleted on schedule, or no key decrypts it."""


class ProviderUnknown(PlayerError):
    """No identity provider with this name accepts notices."""

    status = 404


class ProviderUnavailable(PlayerError):
    """The identity provider is unavailable or answered with an error; the step is retried."""

    status = 503


class BadNoticeSignature(PlayerError):
    """The signature of a notice is invalid."""

    status = 400


class UnreadableNotice(PlayerError):
    """The identity provider's notice lacks required fields."""

    status = 400


class BadBirthDate(PlayerError):
    """The birth date is in the future or too long ago."""

    status = 422


class BreakTooShort(PlayerError):
    """A break of this length is not offered, or a longer one is running."""

    status = 422


class NotOfStaff(PlayerError):
    """Only active members of staff work on cases."""


class CaseTaken(PlayerError):
    """Another member of staff has the case and must assign it."""


class BadRemark(PlayerError):
    """A note or message is empty, too long or unreadable."""

    status = 422


class CaseHasNoPlayer(PlayerError):
    """The case has no player to write to."""


class RequestPending(PlayerError):
    """The player has an open request about the same, or the request is already answered."""


class TooManyReplies(PlayerError):
    """The player has written to staff too often today."""

    status = 429


class PlaceUnknown(PlayerError):
    """No country or region has this code."""


class NotEligible(PlayerError):
    """The law, the operator or the player's own choice does not allow an action."""

    status = 403

    def __init__(
        self, message: str = "", *, since: datetime | None = None, until: datetime | None = None
    ) -> None:
        super().__init__(message)
        self.since, self.until = since, until

    @property
    def details(self) -> dict[str, str]:
        """Return `since` and `until` in ISO format, as far as they are set."""
        moments = {"since": self.since, "until": self.until}
        return {name: moment.isoformat() for name, moment in moments.items() if moment}


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


class LimitOutOfRange(PlayerError):
    """A player's own limit has a figure, a period or a currency that is not offered."""

    status = 422


class LossLimitReached(NotEligible):
    """The entry could lose more than what is left of the player's own limit."""

    code = "loss_limit"


class StakeLimitReached(NotEligible):
    """The entry would stake more in one game than the player's own limit allows."""

    code = "stake_limit"


class TableLimitReached(NotEligible):
    """The player sits at as many tables as their own limit allows."""

    code = "table_limit"


class TimeLimitReached(NotEligible):
    """The player has used up the playing time of their own limit."""

    code = "time_limit"
