"""What the house refuses, each with a stable code; after a refusal nothing is written."""

from typing import ClassVar


class Refusal(Exception):
    """Under it each app has a base of its own; edges that only tell the words catch this one."""

    code: ClassVar[str] = "refused"


class PlayerError(Refusal):
    """A refusal on the people's side."""

    code = "player_error"


class NotAGuest(PlayerError):
    """The account is kept already: it has an e-mail address and a password."""

    code = "not_a_guest"


class StaffAccount(PlayerError):
    """The account belongs to a member of staff; only superusers act on it."""

    code = "staff_account"


class SharedInterest(PlayerError):
    """A member of staff has a game, a tournament or money of their own in what they act on."""

    code = "shared_interest"


class ReasonMissing(PlayerError):
    """What staff do to an account needs its reason."""

    code = "reason_missing"


class BadText(PlayerError):
    """A name, a reason or another text holds characters that cannot be read."""

    code = "bad_text"
