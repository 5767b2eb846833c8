"""Validate uploaded documents, and encrypt documents and numbers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, Protocol
from uuid import UUID

from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from django.conf import settings
from django.utils.translation import gettext as _

from players.exceptions import BadDocument, DocumentGone
from players.identity.models import IdentityDocument

LARGEST_BYTES: Final = 4 * 1024 * 1024
REWRAPPED_AT_ONCE: Final = 20
# First bytes of each type, and bytes in its last kilobyte.
SIGNATURES: Final = {
    IdentityDocument.MediaType.JPEG: (b"\xff\xd8\xff", b"\xff\xd9"),
    IdentityDocument.MediaType.PNG: (b"\x89PNG\r\n\x1a\n", b"IEND\xaeB`\x82"),
    IdentityDocument.MediaType.PDF: (b"%PDF-", b"%%EOF"),
}


class Sealed(Protocol):
    """A row whose content is encrypted and bound to the row's `public_id`."""

    pk: Any
    public_id: UUID
    encrypted_content: Any


def media_type_of(content: bytes) -> IdentityDocument.MediaType:
    """Return the type by the file's content; raise `BadDocument` for other or too large files."""
    if len(content) <= LARGEST_BYTES:
        for media_type, (head, tail) in SIGNATURES.items():
            if content.startswith(head) and tail in content[-1024:]:
                return media_type
    raise BadDocument(_("Choose JPEG, PNG or PDF files of up to 4 MB each."))


def seal(row: Sealed, content: bytes) -> None:
    """Encrypt content into a row, bound to the row's `public_id`."""
    row.encrypted_content = _box().encrypt(row.public_id.bytes + content)


def unseal(row: Sealed) -> bytes:
    """Return the decrypted content. Raise `DocumentGone` if it is deleted or no key fits."""
    if row.encrypted_content is None:
        raise DocumentGone("This document has been deleted.")
    try:
        sealed = _box().decrypt(bytes(row.encrypted_content))
    except InvalidToken:
        raise DocumentGone(f"No key in IDENTITY_KEYS decrypts document {row.public_id}.") from None
    whose, content = sealed[:16], sealed[16:]
    if whose != row.public_id.bytes:
        raise DocumentGone(f"The content of document {row.public_id} belongs to another document.")
    return content


def rotated(row: Sealed) -> bytes | None:
    """Return the content encrypted with the first key; None if no key decrypts it."""
    try:
        return _box().rotate(bytes(row.encrypted_content or b""))
    except InvalidToken:
        return None


def rewrap() -> Iterator[tuple[int, int]]:
    """Encrypt all files with the first key; yield the counts of rewritten and unreadable files.

    Running it again is harmless. A file deleted meanwhile stays deleted.
    """
    rewritten, unreadable, last = 0, 0, 0
    kept = IdentityDocument.objects.filter(deleted_at=None).order_by("pk")
    while batch := list(kept.filter(pk__gt=last)[:REWRAPPED_AT_ONCE]):
        for document in batch:
            content = rotated(document)
            if content is None:
                unreadable += 1
                continue
            rewritten += kept.filter(pk=document.pk).update(encrypted_content=content)
        last = batch[-1].pk
        yield rewritten, unreadable


def _box() -> MultiFernet:
    return MultiFernet([Fernet(key) for key in settings.IDENTITY_KEYS])
