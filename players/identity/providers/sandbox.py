"""A simulated identity provider for demos and tests, which can also simulate failures.

It answers some seconds later. The last word of the player's name selects the result: `Outage`
(documents not accepted), `Silence` (no answer), `Other` (another name in the document), `Birthday`
(another birth date), `Forged` (not clear); every other name is clear.
"""

from __future__ import annotations

import hmac
import json
import time
from collections.abc import Mapping
from datetime import date, timedelta
from hashlib import sha256
from typing import ClassVar, Final

from django.conf import settings
from django.core.cache import cache
from django.utils.crypto import salted_hmac

from core.json_text import read_json
from players.exceptions import BadNoticeSignature, ProviderUnavailable, UnreadableNotice
from players.identity.providers.interface import Answer, Question

SIGNATURE_HEADER: Final = "X-Sandbox-Signature"
ANSWERS_AFTER_SECONDS: Final = 5
# Cases are kept in the cache for this long.
REMEMBERED_SECONDS: Final = 3 * 86_400


class SandboxProvider:
    name: ClassVar[str] = "sandbox"
    title: ClassVar[str] = "Sandbox"

    @staticmethod
    def accepts_notices() -> bool:
        """Return whether it is in use; else its notices are refused, as it clears any document."""
        return SandboxProvider.name == settings.IDENTITY_PROVIDER

    def submit(self, question: Question) -> str:
        if _wish(question.name) == "outage":
            raise ProviderUnavailable("the sandbox simulates an outage, as the name requests")
        reference = f"case_{question.check.hex}"
        case = {"name": question.name, "born": question.born.isoformat(), "at": time.time()}
        cache.add(reference, case, REMEMBERED_SECONDS)
        return reference

    def answer(self, reference: str) -> Answer | None:
        case = cache.get(reference)
        if case is None:
            raise ProviderUnavailable(f"the sandbox has no case {reference}")
        name, born = str(case["name"]), date.fromisoformat(case["born"])
        wish = _wish(name)
        if wish == "silence" or time.time() < case["at"] + ANSWERS_AFTER_SECONDS:
            return None
        if wish == "other":
            return Answer(is_clear=True, name="Somebody Else", born=born)
        if wish == "birthday":
            return Answer(is_clear=True, name=name, born=born - timedelta(days=1))
        if wish == "forged":
            return Answer(is_clear=False, name=name, born=born, findings=["FORGERY"])
        return Answer(is_clear=True, name=name, born=born)

    def read_notice(self, *, body: bytes, headers: Mapping[str, str]) -> str:
        if not hmac.compare_digest(_mac(body), headers.get(SIGNATURE_HEADER, "")):
            raise BadNoticeSignature("the signature is invalid")
        try:
            return str(read_json(body.decode())["reference"])
        except (ValueError, KeyError, TypeError) as error:
            raise UnreadableNotice(f"the notice cannot be read: {error!r}") from error


def notice(reference: str) -> tuple[bytes, dict[str, str]]:
    """Return a notice as the sandbox sends it: its body and headers."""
    body = json.dumps({"reference": reference}).encode()
    return body, {SIGNATURE_HEADER: _mac(body)}


def _wish(name: str) -> str:
    """Return the last word of a name in lower case.

    >>> _wish("Asha Outage")
    'outage'
    """
    return name.rsplit(maxsplit=1)[-1].casefold() if name.split() else ""


def _mac(body: bytes) -> str:
    secret = salted_hmac("players.identity.sandbox", "webhook", algorithm="sha256").digest()
    return hmac.new(secret, body, sha256).hexdigest()
