"""The refusals of players' accounts and of staff acting on them."""

from datetime import datetime

from core.exceptions import Refusal


class PlayerError(Refusal):
    """The base of refusals about accounts."""


class NotAGuest(PlayerError):
    """The account is kept already: it has an e-mail address and a password."""


class StaffAccount(PlayerError):
    """The account belongs to a member of staff; only superusers act on it."""


class SharedInterest(PlayerError):
    """A member of staff has a game, a tournament or money of their own in what they act on."""


class ReasonMissing(PlayerError):
    """Staff must give a reason for acting on an account."""


class ReauthenticationRequired(PlayerError):
    """The session is open, but who uses it has not proved within the last minutes who they are."""

    status = 403


class EnrolmentRefused(PlayerError):
    """The account is none of staff that lacks a second factor."""


class BadEnrolmentLink(PlayerError):
    """A link to set up a second factor is used, has expired or belongs to another account."""

    status = 403


class TooManyLinks(PlayerError):
    """A link to set up a second factor was sent a few minutes ago."""

    status = 429


class NotForGuests(PlayerError):
    """A guest's account is known to one browser only."""


class TooManyTokens(PlayerError):
    """A player has as many tokens as they may have."""


class TokenScope(PlayerError):
    """A token does not open what is asked for."""

    status = 403


class PushUnavailable(PlayerError):
    """The installation has no key for notifications on devices."""


class BadSubscription(PlayerError):
    """An endpoint of Web Push is no address on the public internet, or its keys are none."""

    status = 400


class BirthDateGiven(PlayerError):
    """The account has another birth date already; staff correct it."""


class PlaceGiven(PlayerError):
    """The account says another place already; staff correct it."""


class PlaceStillDoubted(PlayerError):
    """The address does not show the player where their account says that they live."""


class BadTaxNumber(PlayerError):
    """What was typed is not the PAN of a person."""

    status = 422


class TaxNumberGiven(PlayerError):
    """The account has another PAN already; staff remove it if it was mistyped."""


class TaxNumberTaken(PlayerError):
    """Another open account has this PAN."""


class BadPhoneNumber(PlayerError):
    """What was typed is no mobile number."""

    status = 422


class BadPhoneCode(PlayerError):
    """The code is wrong, too old, or was guessed too often; which of these is not said."""

    status = 422


class TooManyNumbers(PlayerError):
    """The player has changed their mobile number too often today."""

    status = 429


class BadDocument(PlayerError):
    """A file is no JPEG, PNG or PDF, is too large, or there are none or too many."""

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
    """The document has been deleted, as its date said, or no key opens it."""


class ProviderUnknown(PlayerError):
    """No identity provider that can be heard has this name."""

    status = 404


class ProviderUnavailable(PlayerError):
    """The identity provider does not answer as it should; the same step is taken again later."""

    status = 503


class BadNoticeSignature(PlayerError):
    """A message is not signed by the identity provider."""

    status = 400


class UnreadableNotice(PlayerError):
    """The identity provider's message lacks required fields."""

    status = 400


class BadBirthDate(PlayerError):
    """No living person was born on that day."""

    status = 422


class BreakTooShort(PlayerError):
    """A break of this length is not offered, or a longer one is running."""

    status = 422


class NotOfStaff(PlayerError):
    """Only active members of staff work on cases."""


class CaseTaken(PlayerError):
    """A colleague works on this case; who wants it is given it by hand."""


class BadRemark(PlayerError):
    """A note or message is empty, too long or unreadable."""

    status = 422


class NobodyToWriteTo(PlayerError):
    """The case is not of one player."""


class RequestWaits(PlayerError):
    """The player has asked the same already and waits, or staff have answered it already."""


class TooManyReplies(PlayerError):
    """The player has written to staff too often today."""

    status = 429


class PlaceUnknown(PlayerError):
    """No country or region has this code."""


class NotEligible(PlayerError):
    """The law, the house or the player's own choice keeps the player from an act."""

    status = 403

    def __init__(
        self, message: str = "", *, since: datetime | None = None, until: datetime | None = None
    ) -> None:
        super().__init__(message)
        self.since, self.until = since, until

    @property
    def details(self) -> dict[str, str]:
        """Return since when it is so and until when, as far as there are such moments."""
        moments = {"since": self.since, "until": self.until}
        return {name: moment.isoformat() for name, moment in moments.items() if moment}


class PlayProhibited(NotEligible):
    """Nothing is played where the player lives, play points included (RB 11.6)."""


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
    """Play for money is not known to be lawful in the player's place (RB 11.6)."""


class CashWindingDown(NotEligible):
    """Cash play is being wound down: money can only be withdrawn (RB 11.6)."""


class PlaceDoubted(NotEligible):
    """The network address says another place than the account."""


class AgeUnknown(NotEligible):
    """The player has given no birth date."""


class UnderAge(NotEligible):
    """The player is too young to play for money."""


class EmailUnverified(NotEligible):
    """The player has not confirmed an e-mail address."""


class ConsentOutdated(NotEligible):
    """The player agreed to no or an earlier text on what is stored of their network and device."""


class IdentityUnverified(NotEligible):
    """The place asks who withdraws money, and nobody has checked who the player is."""


class PayeeNotPlayer(NotEligible):
    """The bank account is not in the name of the player's documents."""


class LossLimitReached(NotEligible):
    """The entry could lose more than the player's own limit leaves."""

    code = "loss_limit"


class StakeLimitReached(NotEligible):
    """The entry would bring more into one game than the player's own limit allows."""

    code = "stake_limit"


class TableLimitReached(NotEligible):
    """The player sits at as many tables as their own limit allows."""

    code = "table_limit"


class TimeLimitReached(NotEligible):
    """The player has been at tables for as long as their own limit allows."""

    code = "time_limit"
