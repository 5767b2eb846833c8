"""The base class of all refusals; a refused action writes nothing."""

import re
from typing import Any, ClassVar


class Refusal(Exception):
    """Base of each app's refusals: `class BadName(PlayerError, status=422)`.

    `code` defaults to the class name in snake case, `status` to the base's.
    """

    code: ClassVar[str] = "refused"
    # Of the HTTP response.
    status: ClassVar[int] = 409

    def __init__(self, message: str = "", **details: Any) -> None:
        """`details` are added to the response with the code."""
        super().__init__(message)
        self.details = details

    def __init_subclass__(cls, *, status: int = 0, code: str = "", **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        cls.code = code or re.sub(r"(?<!^)(?=[A-Z])", "_", cls.__name__).lower()
        cls.status = status or cls.status


class AlreadyDecided(Refusal):
    """The request has already been approved or rejected."""


class CheckerIsMaker(Refusal, status=403):
    """A person must not decide on their own request or their own money (RB 11.2)."""


class Busy(Refusal, status=503):
    """The process has no capacity for this request now; it can be repeated soon."""


class BadText(Refusal):
    """A name, a reason or another text contains unreadable characters."""


class UnknownField(Refusal, status=400):
    """The body has an unknown field, `field`; `fields` are the known ones."""
