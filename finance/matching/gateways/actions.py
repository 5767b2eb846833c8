"""Store gateway files; uploading the same bytes again returns the same file."""

from __future__ import annotations

import hashlib
from typing import Any, cast

from django.db import transaction

from core import audit_log
from finance.exceptions import BadFile
from finance.matching.gateways.files import Contents, read_file
from finance.matching.gateways.lines import Settled
from finance.matching.models import GatewayFile, GatewayLine
from finance.tokens.models import FinanceToken
from players.accounts.models import User

BYTES_MAX = 20 * 1024 * 1024
LINES_AT_ONCE = 5_000


@transaction.atomic(durable=True)
def keep_file(
    *, provider: str, name: str, body: bytes, uploaded_by: FinanceToken | User
) -> tuple[GatewayFile, bool]:
    """Return the file with these bytes, and whether it is new; raise `BadFile` for bad lines."""
    is_staff = isinstance(uploaded_by, User)
    if len(body) > BYTES_MAX:
        raise BadFile(f"the file is larger than {BYTES_MAX} bytes")
    sha256 = hashlib.sha256(body).hexdigest()
    known = GatewayFile.objects.filter(sha256=sha256, provider=provider).first()
    if known is not None:
        return known, False
    contents = read_file(provider=provider, body=body)
    days = sorted({movement.day for _, movement in contents.lines})
    file, is_new = GatewayFile.objects.get_or_create(
        sha256=sha256,
        defaults={
            "provider": provider,
            "shape": contents.shape.name,
            "name": name,
            "line_count": len(contents.lines),
            "passed_over": contents.passed_over,
            "first_day": days[0] if days else None,
            "last_day": days[-1] if days else None,
            "staff" if is_staff else "uploaded_by": uploaded_by,
        },
    )
    if is_new:
        _keep_lines(file, contents)
        if is_staff:
            audit_log.record(by=cast(User, uploaded_by), act="upload", row=file)
    return file, is_new


def _keep_lines(file: GatewayFile, contents: Contents) -> None:
    GatewayLine.objects.bulk_create(
        (
            GatewayLine(
                file=file,
                number=number,
                what=movement.what,
                reference=movement.reference,
                payment_reference=movement.payment_reference,
                currency=movement.currency,
                amount_minor=movement.amount_minor,
                at=movement.at,
                day=movement.day,
                **_settlement(movement.settled),
            )
            for number, movement in contents.lines
        ),
        batch_size=LINES_AT_ONCE,
    )


def _settlement(settled: Settled | None) -> dict[str, Any]:
    if settled is None:
        return {}
    return {
        "settlement": settled.reference,
        "bank_reference": settled.bank_reference,
        "settled_on": settled.on,
        "fee_minor": settled.fee_minor,
        "tax_minor": settled.tax_minor,
    }
