"""The base of all refusals; after a refusal nothing is written."""

import re
from typing import Any, ClassVar


class Refusal(Exception):
    """The base of each app's refusals; `code` is the class name in snake case unless it is set."""

    code: ClassVar[str] = "refused"

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if "code" not in cls.__dict__:
            cls.code = re.sub(r"(?<!^)(?=[A-Z])", "_", cls.__name__).lower()


class BadText(Refusal):
    """A name, a reason or another text holds characters that cannot be read."""
