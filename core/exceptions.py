"""The base of all refusals; after a refusal nothing is written."""

import re
from typing import Any, ClassVar


class Refusal(Exception):
    """The base of each app's refusals; `code` is the class name in snake case unless it is set."""

    code: ClassVar[str] = "refused"
    # Of the HTTP response.
    status: ClassVar[int] = 409

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if "code" not in cls.__dict__:
            cls.code = re.sub(r"(?<!^)(?=[A-Z])", "_", cls.__name__).lower()


class AlreadyDecided(Refusal):
    """The request has already been approved or rejected."""


class CheckerIsMaker(Refusal):
    """Nobody decides on their own request or their own money (RB 11.2)."""

    status = 403


class Busy(Refusal):
    """The process does as much of this kind as it can; the same request may be sent again soon."""

    status = 503


class BadText(Refusal):
    """A name, a reason or another text holds characters that cannot be read."""


class UnknownField(Refusal):
    """The operation knows no field of this name; `field` names it, `fields` are those it knows."""

    status = 400

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.details: dict[str, Any] = {}
