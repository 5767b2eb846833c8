"""Files of documents: what they hold, and how they are encrypted."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from django.conf import settings
from django.utils.translation import gettext as _

from players.exceptions import BadDocument, DocumentGone
from players.identity.models import IdentityDocument

LARGEST_BYTES: Final = 4 * 1024 * 1024
REWRAPPED_AT_ONCE: Final = 20
# How each type begins, and what its last kilobyte holds.
SIGNATURES: Final = {
    IdentityDocument.MediaType.JPEG: (b"\xff\xd8\xff", b"\xff\xd9"),
    IdentityDocument.MediaType.PNG: (b"\x89PNG\r\n\x1a\n", b"IEND\xaeB`\x82"),
    IdentityDocument.MediaType.PDF: (b"%PDF-", b"%%EOF"),
}


def media_type_of(content: bytes) -> IdentityDocument.MediaType:
    """Return the type by what the file holds, whatever it is called; else raise `BadDocument`."""
    if len(content) <= LARGEST_BYTES:
        for media_type, (head, tail) in SIGNATURES.items():
            if content.startswith(head) and tail in content[-1024:]:
                return media_type
    raise BadDocument(_("Choose JPEG, PNG or PDF files of up to 4 MB each."))


def seal(document: IdentityDocument, content: bytes) -> None:
    """Encrypt a file for its row; put into another's, it cannot be opened there."""
    document.encrypted_content = _box().encrypt(document.public_id.bytes + content)


def unseal(document: IdentityDocument) -> bytes:
    """Return a file as it was submitted. Raise `DocumentGone` if it is deleted or no key opens."""
    if document.encrypted_content is None:
        raise DocumentGone("This document has been deleted.")
    try:
        content = _box().decrypt(bytes(document.encrypted_content))
    except InvalidToken:
        raise DocumentGone(f"No key in IDENTITY_KEYS opens document {document.pk}.") from None
    whose, file = content[:16], content[16:]
    if whose != document.public_id.bytes:
        raise DocumentGone(f"The content of document {document.pk} is another's.")
    return file


def rewrap() -> Iterator[tuple[int, int]]:
    """Encrypt all files under the first key; yield how many were rewritten and not readable.

    Done twice it rewrites all again, which does no harm. A file that is deleted meanwhile stays so.
    """
    rewritten, unreadable, last = 0, 0, 0
    kept = IdentityDocument.objects.filter(deleted_at=None).order_by("pk")
    while batch := list(kept.filter(pk__gt=last)[:REWRAPPED_AT_ONCE]):
        for document in batch:
            try:
                content = _box().rotate(bytes(document.encrypted_content or b""))
            except InvalidToken:
                unreadable += 1
                continue
            rewritten += kept.filter(pk=document.pk).update(encrypted_content=content)
        last = batch[-1].pk
        yield rewritten, unreadable


def _box() -> MultiFernet:
    return MultiFernet([Fernet(key) for key in settings.IDENTITY_KEYS])
