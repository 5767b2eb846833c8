"""What a tournament refuses, each with a stable code."""

from typing import Any, ClassVar


class TournamentError(Exception):
    """A refusal by a tournament; nothing changed. `details` go into the answer beside the code."""

    code: ClassVar[str] = "tournament_error"

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.details: dict[str, Any] = {}


class BadPlan(TournamentError):
    """These numbers of seats, qualifiers and finalists make no tournament."""

    code = "bad_plan"


class BadPrizes(TournamentError):
    """These prize rows cannot be paid."""

    code = "bad_prizes"
