"""What a table refuses, each with a stable code."""

from typing import ClassVar


class TableError(Exception):
    """A refusal by a table; nothing changed."""

    code: ClassVar[str] = "table_error"
