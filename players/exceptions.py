"""What the people's side refuses, each with a stable code; after a refusal nothing is written."""

from typing import ClassVar


class PlayerError(Exception):
    code: ClassVar[str] = "player_error"


class NotAGuest(PlayerError):
    """The account is kept already: it has an e-mail address and a password."""

    code = "not_a_guest"
