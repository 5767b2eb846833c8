"""The interface of an identity provider, which receives documents and answers later."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import ClassVar, Final, Protocol
from uuid import UUID

from players.identity.models import IdentityCheck

REFERENCE_LENGTH_MAX: Final = 100


@dataclass(frozen=True)
class File:
    media_type: str
    content: bytes


@dataclass(frozen=True)
class Question:
    """A request to a provider: are these documents genuine, and whose are they?"""

    check: UUID
    name: str
    born: date
    # ISO 3166-1 alpha-2; empty if unknown.
    country: str
    document_kind: IdentityCheck.DocumentKind
    files: Sequence[File]


@dataclass(frozen=True)
class Answer:
    """A provider's result. Name and birth date are those read from the document."""

    is_clear: bool
    name: str = ""
    born: date | None = None
    # The provider's reasons against the document, shown to staff.
    findings: Sequence[str] = ()


class Provider(Protocol):
    name: ClassVar[str]
    # Name shown to players in the consent text.
    title: ClassVar[str]

    @staticmethod
    def accepts_notices() -> bool:
        """Return whether its secret is set, so that its notices can be verified."""

    def submit(self, question: Question) -> str:
        """Send the documents and return the provider's reference.

        Sending the same check again is idempotent. Raise `ProviderUnavailable`.
        """

    def answer(self, reference: str) -> Answer | None:
        """Return the provider's result; None while it is pending. Raise `ProviderUnavailable`."""

    def read_notice(self, *, body: bytes, headers: Mapping[str, str]) -> str:
        """Return the reference in a notice; its other content is ignored.

        Raise `BadNoticeSignature` or `UnreadableNotice`.
        """
