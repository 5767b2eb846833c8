"""Sumsub's REST API: one applicant for each check. Disabled by default.

Requires, from Sumsub's dashboard, an app token with its secret, a level that asks only for an
identity document, and a webhook for `applicantReviewed` signed by HMAC-SHA256 or HMAC-SHA512.
Requests are signed as https://docs.sumsub.com/reference/authentication describes.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import time
from collections.abc import Mapping
from datetime import date
from functools import cache
from typing import Any, ClassVar, Final
from urllib.parse import quote

import requests
from babel.core import get_global
from django.conf import settings

from core.clock import database_now
from core.json_text import read_json
from players.exceptions import BadNoticeSignature, ProviderUnavailable, UnreadableNotice
from players.identity.models import IdentityCheck
from players.identity.providers.interface import REFERENCE_LENGTH_MAX, Answer, File, Question

ADDRESS: Final = "https://api.sumsub.com"
TIMEOUT_SECONDS: Final = 20
DIGEST_HEADER: Final = "X-Payload-Digest"
ALGORITHM_HEADER: Final = "X-Payload-Digest-Alg"
ALGORITHMS: Final = {"HMAC_SHA256_HEX": hashlib.sha256, "HMAC_SHA512_HEX": hashlib.sha512}
Kind = IdentityCheck.DocumentKind
DOCUMENT_TYPES: Final = {
    Kind.PASSPORT: "PASSPORT",
    Kind.DRIVING_LICENCE: "DRIVERS",
    Kind.VOTER_ID: "ID_CARD",
    Kind.PAN_CARD: "ID_CARD",
}
SIDES: Final = ("FRONT_SIDE", "BACK_SIDE")
# Codes of former countries whose territory has another code now.
FORMER_CODES: Final = frozenset({"BUR", "DDR", "FXX", "TMP", "YMD", "ZAR"})


class SumsubProvider:
    name: ClassVar[str] = "sumsub"
    title: ClassVar[str] = "Sumsub"

    @staticmethod
    def accepts_notices() -> bool:
        return bool(settings.SUMSUB_WEBHOOK_SECRETS)

    def submit(self, question: Question) -> str:
        external = str(question.check)
        level = quote(settings.SUMSUB_LEVEL, safe="")
        first, _, last = question.name.partition(" ")
        known = {"firstName": first, "lastName": last, "dob": question.born.isoformat()}
        asked = {"externalUserId": external, "type": "individual", "fixedInfo": known}
        made = _request("POST", f"/resources/applicants?levelName={level}", json.dumps(asked))
        if made.status_code == requests.codes.conflict:  # Sent before; the answer was lost.
            made = _request("GET", f"/resources/applicants/-;externalUserId={external}/one")
        said = _json(made)
        reference = _reference(said.get("id"))
        if _review(said).get("reviewStatus", "init") != "init":  # The review has already started.
            return reference
        for number, file in enumerate(question.files):
            side = SIDES[number] if len(question.files) > 1 else ""
            _json(_send_file(reference, question, file, side))
        _json(_request("POST", f"/resources/applicants/{reference}/status/pending"))
        return reference

    def answer(self, reference: str) -> Answer | None:
        said = _json(_request("GET", f"/resources/applicants/{reference}/one"))
        review = _review(said)
        if review.get("reviewStatus") != "completed":
            return None
        result = review.get("reviewResult") or {}
        read = said.get("info") or {}
        try:
            born = date.fromisoformat(str(read.get("dob", "")))
        except ValueError:
            born = None
        parts = [str(read.get(part) or "") for part in ("firstName", "middleName", "lastName")]
        labels = result.get("rejectLabels") or []
        return Answer(
            is_clear=result.get("reviewAnswer") == "GREEN",
            name=" ".join(part for part in parts if part),
            born=born,
            findings=[str(label) for label in labels if isinstance(labels, list)],
        )

    def read_notice(self, *, body: bytes, headers: Mapping[str, str]) -> str:
        algorithm = ALGORITHMS.get(headers.get(ALGORITHM_HEADER, ""))
        digest = headers.get(DIGEST_HEADER, "").encode("ascii", "replace")
        secrets = [
            one.text
            for one in settings.SUMSUB_WEBHOOK_SECRETS
            if one.until is None or one.until > database_now()
        ]
        if algorithm is None or not any(
            hmac.compare_digest(
                hmac.new(one.encode(), body, algorithm).hexdigest().encode(), digest
            )
            for one in secrets
        ):
            raise BadNoticeSignature("the signature is invalid")
        try:
            reference = read_json(body.decode())["applicantId"]
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            raise UnreadableNotice(f"the notice cannot be read: {error!r}") from error
        if not isinstance(reference, str) or len(reference) > REFERENCE_LENGTH_MAX:
            raise UnreadableNotice("the notice has no applicant id")
        return reference


def _send_file(reference: str, question: Question, file: File, side: str) -> requests.Response:
    facts = {
        "idDocType": DOCUMENT_TYPES[question.document_kind],
        "country": _three_letters(question.country or "IN"),
        **({"idDocSubType": side} if side else {}),
    }
    ending = file.media_type.rpartition("/")[2]
    form = requests.Request(
        "POST",
        ADDRESS,
        data={"metadata": json.dumps(facts)},
        files={"content": (f"document.{ending}", file.content, file.media_type)},
    ).prepare()
    assert isinstance(form.body, bytes), "a form of files is bytes"
    kind = str(form.headers["Content-Type"])
    path = f"/resources/applicants/{reference}/info/idDoc"
    return _request("POST", path, form.body, content_type=kind)


def _request(
    method: str, path: str, body: str | bytes = b"", *, content_type: str = "application/json"
) -> requests.Response:
    """Send a signed request; raise `ProviderUnavailable` if there is no response."""
    content = body.encode() if isinstance(body, str) else body
    stamp = str(int(time.time()))
    signed = stamp.encode() + method.encode() + path.encode() + content
    secret = settings.SUMSUB_SECRET_KEY.encode()
    headers = {
        "Accept": "application/json",
        "Content-Type": content_type,
        "X-App-Token": settings.SUMSUB_APP_TOKEN,
        "X-App-Access-Ts": stamp,
        "X-App-Access-Sig": hmac.new(secret, signed, hashlib.sha256).hexdigest(),
    }
    try:
        return requests.request(
            method,
            f"{ADDRESS}{path}",
            data=content or None,
            headers=headers,
            timeout=TIMEOUT_SECONDS,
            allow_redirects=False,
        )
    except requests.RequestException as error:
        # Do not include the error's text: it may contain request data.
        raise ProviderUnavailable(f"Sumsub: {type(error).__name__}") from error


def _json(answer: requests.Response) -> dict[str, Any]:
    if not 200 <= answer.status_code < 300:
        raise ProviderUnavailable(f"Sumsub answered {answer.status_code}")
    try:
        said = answer.json()
    except ValueError as error:
        raise ProviderUnavailable("Sumsub did not answer with JSON") from error
    if not isinstance(said, dict):
        raise ProviderUnavailable("Sumsub did not answer with a JSON object")
    return said


def _review(said: Mapping[str, Any]) -> Mapping[str, Any]:
    review = said.get("review")
    return review if isinstance(review, Mapping) else {}


def _reference(found: Any) -> str:
    if not isinstance(found, str) or not found.isalnum() or len(found) > REFERENCE_LENGTH_MAX:
        raise ProviderUnavailable("Sumsub returned no applicant id")
    return found


@cache
def _three_letters(country: str) -> str:
    """Return a country's ISO 3166-1 alpha-3 code.

    >>> _three_letters("IN"), _three_letters("DE")
    ('IND', 'DEU')
    """
    for code, meant in get_global("territory_aliases").items():
        is_code = len(code) == 3 and code.isalpha() and code not in FORMER_CODES
        if is_code and meant == [country]:
            return str(code)
    return country
