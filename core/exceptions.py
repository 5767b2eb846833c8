"""The base class of all refusals; a refused action writes nothing."""

import re
from typing import Any, ClassVar


class Refusal(Exception):
    """Base of each app's refusals; `code` defaults to the class name in snake case."""

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
    """A person must not decide on their own request or their own money (RB 11.2)."""

    status = 403


class Busy(Refusal):
    """The process has no capacity for this request now; it can be repeated soon."""

    status = 503


class BadText(Refusal):
    """A name, a reason or another text contains unreadable characters."""


class UnknownField(Refusal):
    """The body has an unknown field, `field`; `fields` are the known ones."""

    status = 400

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.details: dict[str, Any] = {}
