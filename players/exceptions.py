"""The refusals of players' accounts and of staff acting on them."""

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


class PushUnavailable(PlayerError):
    """The installation has no key for notifications on devices."""


class BadSubscription(PlayerError):
    """An endpoint of Web Push is no address on the public internet, or its keys are none."""

    status = 400
