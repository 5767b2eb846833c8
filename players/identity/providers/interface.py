"""The interface of an identity provider: it is sent documents, and answers later."""

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
    """What a provider is asked: whether these documents are genuine, and whose they are."""

    check: UUID
    name: str
    born: date
    # ISO 3166-1 alpha-2; empty where it is not known.
    country: str
    document_kind: IdentityCheck.DocumentKind
    files: Sequence[File]


@dataclass(frozen=True)
class Answer:
    """What a provider found. Name and birth date are those it read in the document itself."""

    is_clear: bool
    name: str = ""
    born: date | None = None
    # Its own words for what is not right; staff read them.
    findings: Sequence[str] = ()


class Provider(Protocol):
    name: ClassVar[str]
    # As players read it in the text they agree to.
    title: ClassVar[str]

    @staticmethod
    def is_heard() -> bool:
        """Return whether its secret is set, so that its messages can be verified."""

    def submit(self, question: Question) -> str:
        """Send the documents and return the provider's reference.

        The same check sent again is the same case there. Raise `ProviderUnavailable`.
        """

    def answer(self, reference: str) -> Answer | None:
        """Return what the provider found; None while it looks. Raise `ProviderUnavailable`."""

    def read_notice(self, *, body: bytes, headers: Mapping[str, str]) -> str:
        """Return the reference that a message is about; nothing else of it is believed.

        Raise `BadNoticeSignature` if it is not signed, `UnreadableNotice` for what is no notice.
        """
