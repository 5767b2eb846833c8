"""Settlement files of the sandbox gateway, and requests made from them."""

from __future__ import annotations

from django.utils import timezone

from finance.matching.actions import keep_file
from finance.matching.gateways import returns
from finance.matching.gateways.settlements import request_settlements
from wallet.deposits.deposits import apply_received


def approve_settlement(**asked):
    """Approve a settlement as its page does, and let a settlement worker book what it lists."""
    approved = returns.approve_settlement(**asked)
    apply_received()
    return approved


def name_payment(**named):
    """Name a dispute's payment as the page does, and let a settlement worker note the dispute."""
    settlement = returns.name_payment(**named)
    apply_received()
    return settlement


COLUMNS = (
    "kind,reference,payment,currency,amount_minor,at,fee_minor,tax_minor,settlement,utr,settled_at"
)


def settled_line(reference, minor, *, kind="payment", payment="", fee=0, tax=0, settlement="setl1"):
    """Return a line of a settlement file; amounts taken back are positive as well."""
    now = timezone.now().isoformat()
    cells = (kind, reference, payment or reference, "INR", minor, now, fee, tax)
    return ",".join(map(str, (*cells, settlement, f"UTR{settlement}".upper(), now)))


def settlement_file(*lines):
    return "\n".join([COLUMNS, *lines, ""]).encode()


def ask_for(body, *, by):
    """Upload a settlement file and ask for its settlements to be booked."""
    file = keep_file(provider="sandbox", name="settled.csv", body=body, uploaded_by=by).row
    return request_settlements(file_id=file.pk, by=by)
