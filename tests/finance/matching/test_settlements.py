"""Fees of settlements are booked, so that clearing equals the bank statement."""

import json
from datetime import timedelta
from functools import partial

import pytest
from django.db import connection
from django.urls import reverse
from django.utils import timezone

from core.exceptions import CheckerIsMaker
from finance.exceptions import BadFile, BadSettlement
from finance.matching.actions import keep_file, keep_statement
from finance.matching.comparison import compare_bank
from finance.matching.gateways.files import read_file
from finance.matching.gateways.settlements import bank_references, request_settlements
from tests.builders.books.full_books import SANDBOX_COLUMNS, Desk
from tests.builders.books.gateway_files import line, pay
from tests.builders.books.settlements import (
    approve_settlement,
    ask_for,
    settled_line,
    settlement_file,
)
from tests.builders.processes.threads import at_once
from tests.builders.staff.people import a_person
from tests.builders.staff.previews import post_agreed
from tests.builders.wallet.payout_desk import make_sent
from tests.builders.wallet.players import make_player
from wallet.audit.audit import audit
from wallet.deposits.models import StaffTask
from wallet.exceptions import SettlementDiffers
from wallet.gateways.models import GatewaySettlement
from wallet.gateways.sandbox_page import Sent
from wallet.gateways.settlements import rehearse_settlement, reject_settlement
from wallet.ledger.days import site_day
from wallet.ledger.models import Account, Transfer
from wallet.withdrawals import withdrawals

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("lawful")]

# The amounts that approved settlements must have booked, from the lines of the files.
RECOMPUTED = """
    WITH lines AS (
        SELECT DISTINCT ON (f.provider, l.what, l.reference) l.*
        FROM finance_gatewayline AS l JOIN finance_gatewayfile AS f ON f.id = l.file_id
        JOIN wallet_gatewaysettlement AS s
            ON s.provider = f.provider AND s.reference = l.settlement AND s.status = 'approved'
        ORDER BY f.provider, l.what, l.reference, l.id
    )
    SELECT -sum(fee_minor), -sum(tax_minor),
        coalesce(sum(amount_minor) FILTER (WHERE what = 'other'), 0) FROM lines
"""
BALANCES = """
    SELECT sum(balance_minor) FILTER (WHERE kind = 'gateway_fees'),
        sum(balance_minor) FILTER (WHERE kind = 'input_tax'),
        sum(balance_minor) FILTER (WHERE kind = 'suspense')
    FROM wallet_account
"""


def staff():
    return make_player(is_staff=True)


def balance(kind):
    return Account.objects.get(kind=kind, currency="INR").balance_minor


def one_row(sql):
    with connection.cursor() as cursor:
        cursor.execute(sql)
        return tuple(cursor.fetchone())


def book(body):
    for asked in ask_for(body, by=staff()):
        approve_settlement(settlement_id=asked.pk, by=staff())
    return list(GatewaySettlement.objects.order_by("pk"))


def test_clearing_account_equals_the_bank_statement():
    """With deposits, a refund, a correction, fees and a payout."""
    sent = make_sent()
    before = balance("gateway_clearing")
    kept, kept_minor = pay(1000)
    refunded, minor = pay(500, Sent(), Sent("refund_done", case="r1"))
    refund = f"case_{refunded.removeprefix('pay_').removesuffix('_1')}_r1"
    body = settlement_file(
        settled_line(kept, kept_minor, fee=20_00, tax=3_60),
        settled_line(refunded, minor, fee=10_00, tax=1_80),
        settled_line(refund, minor, kind="refund", payment=refunded, fee=5_00, tax=90),
        settled_line("adj_1", -7_01, kind="other"),
    )

    [settlement] = book(body)

    net = kept_minor - 20_00 - 3_60 - 11_80 - 5_90 - 7_01
    assert (settlement.net_minor, balance("gateway_clearing") - before) == (net, -net)
    assert [balance(kind) for kind in ("gateway_fees", "input_tax", "suspense")] == [
        -35_00,
        -6_30,
        -7_01,
    ]
    assert one_row(BALANCES) == one_row(RECOMPUTED)

    withdrawals.mark_paid(withdrawal_id=sent.pk, by=staff(), remark="UTR55")
    day, rupees = site_day(), f"{net // 100}.{net % 100:02}"
    rows = ["date,text,amount", f"{day},NEFT CR UTRSETL1 sandbox,{rupees}", f"{day},UTR55,-70.00"]
    body = "\n".join(rows).encode()
    statement = keep_statement(name="bank.csv", body=body, uploaded_by=staff()).row
    bank = sum(one.amount_minor for one in statement.lines.all())
    assert bank == net - 70_00
    assert (balance("gateway_clearing") - before, audit().findings) == (-bank, ())


def test_gateway_correction_matches_after_its_settlement_is_booked(client):
    desk = Desk(client)
    paid, minor = pay()
    body = settlement_file(
        settled_line(paid, minor, fee=2_00, tax=36),
        settled_line("adj_1", -7_01, kind="other"),
        settled_line("adj_2", -50, kind="other"),
    )
    other = settlement_file(settled_line("adj_1", -7_02, kind="other"))

    def outcomes(sent):
        rows = desk.page("gateway-reconciliation", file=desk.upload(sent).json()["sha256"])
        return [row["outcome"] for row in rows["results"] if row["what"] == "other"]

    before = outcomes(body)
    [settlement] = book(body)

    assert (before, outcomes(body)) == (["missing ours"] * 2, ["matched"] * 2)
    # Another file with another sum of the same settlement does not match.
    assert outcomes(other) == ["missing ours"]
    assert settlement.other_minor == -7_51


def test_settlement_is_requested_once_and_not_with_other_figures():
    paid, minor = pay()
    lines = (
        settled_line(paid, minor, fee=2_00, tax=36),
        settled_line("pay_x", 5_00, settlement="setl2"),
    )
    [first, second] = ask_for(settlement_file(*lines), by=staff())

    assert ask_for(settlement_file(*lines), by=staff()) == []
    assert ask_for(settlement_file(*reversed(lines)), by=staff()) == []
    with pytest.raises(SettlementDiffers, match="another fee_minor"):
        ask_for(settlement_file(settled_line(paid, minor, fee=2_01, tax=36)), by=staff())

    assert list(GatewaySettlement.objects.order_by("pk")) == [first, second]
    reject_settlement(settlement_id=first.pk, by=staff())
    [again] = ask_for(settlement_file(settled_line(paid, minor, fee=2_01, tax=36)), by=staff())
    assert (again.reference, again.fee_minor) == (first.reference, 2_01)


def test_settlement_needs_approval_by_another_person():
    maker, checker = staff(), staff()
    paid, minor = pay()
    [asked] = ask_for(settlement_file(settled_line(paid, minor, fee=2_00, tax=36)), by=maker)
    before = balance("gateway_clearing")

    left = rehearse_settlement(settlement=asked)
    with pytest.raises(CheckerIsMaker):
        approve_settlement(settlement_id=asked.pk, by=maker)
    assert (balance("gateway_clearing"), asked.transfer) == (before, None)
    approve_settlement(settlement_id=asked.pk, by=checker)

    assert left == {kind: balance(kind) for kind in left}
    assert balance("gateway_clearing") == before + 2_36
    assert Transfer.objects.get(kind="fee").key == "settlement:sandbox:setl1"


def test_settlement_request_needs_valid_settlements():
    by = staff()
    plain = (SANDBOX_COLUMNS + line("pay_1", 100)).encode()
    mixed = settlement_file(settled_line("pay_2", 1_00), settled_line("pay_3", 1_00)).decode()
    mixed = mixed.replace(",INR,", ",USD,", 1).encode()
    foreign = settlement_file(settled_line("pay_4", 1_00)).replace(b",INR,", b",USD,")
    below = settlement_file(settled_line("pay_1", 1_00, fee=-5))

    for body in (plain, mixed, foreign):
        with pytest.raises(BadSettlement):
            ask_for(body, by=by)
    with pytest.raises(BadFile):
        ask_for(below, by=by)
    assert not GatewaySettlement.objects.exists()

    paid, minor = pay()
    plain = settlement_file(settled_line(paid, minor, settlement="setl9"))  # Without fees.
    [settlement] = book(plain)
    assert (settlement.status, settlement.transfer) == ("approved", None)
    assert not Transfer.objects.filter(kind="fee").exists()


def test_settlement_over_several_pages_is_one_settlement(desk):
    by = staff()
    paid, minor = pay()
    other, other_minor = pay()
    pages = [
        settlement_file(
            settled_line(paid, minor, fee=2_00, tax=36), settled_line("adj_1", -50, kind="other")
        ),
        settlement_file(
            settled_line(other, other_minor, fee=1_00, tax=18),
            settled_line("adj_2", -25, kind="other"),
        ),
    ]
    files = [
        keep_file(provider="sandbox", name=f"page{n}.csv", body=body, uploaded_by=by).row
        for n, body in enumerate(pages)
    ]

    asked = [request_settlements(file_id=file.pk, by=by) for file in files]

    [[settlement], []] = asked
    figures = (settlement.paid_minor, settlement.fee_minor, settlement.tax_minor)
    assert figures == (minor + other_minor, 3_00, 54)
    assert settlement.other_minor == -75
    approve_settlement(settlement_id=settlement.pk, by=staff())
    for body in pages:
        page = desk.page("gateway-reconciliation", file=desk.upload(body).json()["sha256"])
        assert {row["outcome"] for row in page["results"]} == {"matched"}


def test_page_uploaded_after_the_request_or_the_approval_is_refused_with_what_to_do():
    by = staff()
    first = settlement_file(settled_line("pay_1", 1_00, fee=2))
    late = settlement_file(settled_line("pay_2", 1_00, fee=2))
    [asked] = ask_for(first, by=by)
    with pytest.raises(SettlementDiffers, match=r"fee_minor \(2, now 4\).* Reject it and request"):
        ask_for(late, by=by)

    reject_settlement(settlement_id=asked.pk, by=staff())
    [again] = ask_for(first, by=by)
    assert (again.paid_minor, again.fee_minor) == (2_00, 4)
    approve_settlement(settlement_id=again.pk, by=staff())
    with pytest.raises(SettlementDiffers, match=r"fee_minor \(4, now 5\).*request adjustments"):
        ask_for(settlement_file(settled_line("pay_3", 1_00, fee=1)), by=by)
    again.refresh_from_db()
    assert (again.status, again.fee_minor) == ("approved", 4)


def test_settlement_sent_again_keeps_both_bank_references(client):
    paid, minor = pay()
    body = settlement_file(settled_line(paid, minor, fee=2_00, tax=36))
    [settlement] = book(body)
    later = (timezone.now() + timedelta(days=1)).isoformat()
    cells = body.decode().strip().split(",")
    again = ",".join([*cells[:-2], "UTR2AGAIN", later]).encode()

    assert ask_for(again, by=staff()) == []

    assert bank_references("sandbox", "setl1") == ["UTRSETL1", "UTR2AGAIN"]
    client.force_login(a_person("Finance"))
    address = reverse("admin:wallet_gatewaysettlement_change", args=[settlement.pk])
    assert "UTRSETL1, UTR2AGAIN" in client.get(address).content.decode()
    net = f"{settlement.net_minor // 100}.{settlement.net_minor % 100:02}"
    rows = ["date,text,amount", f"{site_day()},NEFT CR UTR2AGAIN sandbox,{net}"]
    bank = keep_statement(name="b.csv", body="\n".join(rows).encode(), uploaded_by=staff()).row
    [(key, row)] = compare_bank(bank).rows
    assert key is None
    assert (row["outcome"], row["settlement"]) == ("matched", "setl1")


def test_line_of_an_unknown_kind_is_set_aside_with_a_task_and_the_rest_is_booked():
    columns = (
        "transaction_entity,entity_id,amount,currency,tax,debit,credit,entity_created_at,"
        "settlement_id,settlement_utr,settled_at\n"
    )
    when = "27/08/2026 14:00:00,setl_1,U1,28/08/2026"
    lines = [
        f"payment,pay_A,1000.00,INR,3.60,0,976.40,{when}",
        f"reserve_hold,rsv_A,50.00,INR,0,50.00,0,{when}",
        f"reserve_hold,rsv_B,0,INR,0,0,0,{when}",
    ]
    body = (columns + "\n".join(lines)).encode()
    file = keep_file(provider="razorpay", name="s.csv", body=body, uploaded_by=staff()).row

    [settlement] = request_settlements(file_id=file.pk, by=staff())

    assert (file.line_count, file.passed_over) == (2, 1)
    figures = (settlement.paid_minor, settlement.other_minor, settlement.net_minor)
    assert figures == (1000_00, -50_00, 926_40)
    task = StaffTask.objects.get()
    assert (task.kind, task.transfer, task.event) == ("unknown_line", None, None)
    assert task.details == "razorpay s.csv, line 3: 'reserve_hold', rsv_A, -₹50.00"


def test_line_in_two_settlements_is_refused():
    by = staff()
    first = settlement_file(settled_line("pay_1", 1_00, fee=2))
    again = settlement_file(
        settled_line("pay_1", 1_00, fee=2, settlement="setl2"),
        settled_line("pay_2", 1_00, fee=2, settlement="setl2"),
    )
    [standing] = ask_for(first, by=by)

    with pytest.raises(BadSettlement, match="pay_1 is in two settlements"):
        ask_for(again, by=by)

    assert GatewaySettlement.objects.get() == standing
    reject_settlement(settlement_id=standing.pk, by=staff())
    [asked] = ask_for(again, by=by)
    assert asked.fee_minor == 4


def test_razorpay_settlement_fees_are_read_from_csv_and_json():
    csv = (
        "transaction_entity,entity_id,amount,currency,fee (exclusive tax),tax,debit,credit,"
        "entity_created_at,settlement_id,settlement_utr,settled_at\n"
        "payment,pay_A,1000.00,INR,20.00,3.60,0,976.40,27/08/2026 14:00:00,setl_1,U1,28/08/2026\n"
        "refund,rfnd_A,100.00,INR,5.00,0.90,105.90,0,27/08/2026 14:00:00,setl_1,U1,28/08/2026\n"
        "dispute,disp_A,50.00,INR,0,0,50.00,0,27/08/2026 14:00:00,setl_1,U1,28/08/2026\n"
        "adjustment,adj_A,20.00,INR,0,0,20.00,0,27/08/2026 14:00:00,setl_1,U1,28/08/2026\n"
        "payment,pay_B,10.00,INR,0,0,0,0,27/08/2026 14:00:00,,,\n"
    )
    at = {"currency": "INR", "created_at": 1_787_826_600, "settled_at": 1_787_880_000}
    at |= {"settlement_id": "setl_1", "settlement_utr": "U1"}
    items = [
        {"type": "payment", "entity_id": "pay_A", "amount": 1000_00, "credit": 976_40, "tax": 3_60},
        {"type": "refund", "entity_id": "rfnd_A", "amount": 100_00, "debit": 105_90, "tax": 90},
        {"type": "adjustment", "entity_id": "adj_1", "dispute_id": "disp_A", "debit": 50_00},
        {"type": "adjustment", "entity_id": "adj_A", "dispute_id": None, "debit": 20_00},
        {"type": "settlement", "entity_id": "setl_1", "amount": 1},
    ]
    first, *rest = [at | item for item in items]
    whole = {"entity": "collection", "items": [first, *rest]}
    in_pages = [{"items": [first]}, {"items": rest}, {"items": []}]

    for text in (csv, json.dumps(whole), json.dumps(in_pages)):
        contents = read_file(provider="razorpay", body=text.encode())
        found = [
            (str(one.what), one.reference, one.amount_minor, fees.fee_minor, fees.tax_minor)
            for _, one in contents.lines
            if (fees := one.settled) is not None
        ]
        assert found == [
            ("payment", "pay_A", 1000_00, 20_00, 3_60),
            ("refund", "rfnd_A", -100_00, 5_00, 90),
            ("refund", "disp_A", -50_00, 0, 0),
            ("other", "adj_A", -20_00, 0, 0),
        ]
    assert (contents.shape.name, contents.passed_over) == ("recon", 1)


def test_settlement_is_requested_and_approved_in_the_admin(client):
    """The page shows the balances after approval beforehand."""
    paid, minor = pay()
    refund = f"case_{paid.removeprefix('pay_').removesuffix('_1')}_r1"
    maker, checker = a_person("Finance"), a_person("Finance")
    body = settlement_file(
        settled_line(paid, minor, fee=2_00, tax=36),
        settled_line(refund, 40_00, kind="refund", payment=paid),
    )
    file = keep_file(provider="sandbox", name="a.csv", body=body, uploaded_by=maker).row
    act = {"action": "request_settlements", "_selected_action": [file.pk]}

    client.force_login(maker)
    client.post(reverse("admin:finance_gatewayfile_changelist"), act)
    asked = GatewaySettlement.objects.get()
    client.force_login(checker)
    page = client.get(reverse("admin:wallet_gatewaysettlement_change", args=[asked.pk])).text
    before = balance("gateway_clearing")
    approve = {"action": "approve", "_selected_action": [asked.pk]}
    url = reverse("admin:wallet_gatewaysettlement_changelist")
    client.post(url, approve)
    assert balance("gateway_clearing") == before  # The preview posts nothing.
    post_agreed(client, url, approve)

    assert f"{refund} ₹40.00" in page
    assert "Gateway fees -₹2.00" in page
    assert "Tax on gateway fees -₹0.36" in page
    assert balance("gateway_clearing") - before == 2_36
    asked.refresh_from_db()
    assert (asked.made_by, asked.checked_by) == (maker, checker)


def test_concurrent_settlement_requests_and_approvals_book_once():
    maker, checker, other = staff(), staff(), staff()
    paid, minor = pay()
    body = settlement_file(settled_line(paid, minor, fee=2_00, tax=36))
    file = keep_file(provider="sandbox", name="a.csv", body=body, uploaded_by=maker).row

    asks = [partial(request_settlements, file_id=file.pk, by=by) for by in (maker, other)]
    [settlement] = [one for found in at_once(asks) for one in found]
    approve = partial(approve_settlement, settlement_id=settlement.pk, by=checker)

    assert [one.status for one in at_once([approve, approve])] == ["approved"] * 2
    assert Transfer.objects.filter(kind="fee").count() == 1
    assert balance("gateway_fees") == -2_00
