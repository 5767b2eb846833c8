"""What the people's side refuses, each with a stable code; after a refusal nothing is written."""

from typing import ClassVar


class PlayerError(Exception):
    code: ClassVar[str] = "player_error"


class NotAGuest(PlayerError):
    """The account is kept already: it has an e-mail address and a password."""

    code = "not_a_guest"


class StaffAccount(PlayerError):
    """The account belongs to staff, or to the caller himself."""

    code = "staff_account"


class ReasonMissing(PlayerError):
    """What staff do to an account needs its reason."""

    code = "reason_missing"
