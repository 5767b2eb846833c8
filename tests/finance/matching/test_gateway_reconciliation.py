"""Gateway files: storage, parsing and comparison with the ledger."""

import hashlib
from datetime import timedelta

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse
from django.utils import timezone

from core.models import AuditEntry
from finance.matching.actions import keep_file
from finance.matching.models import GatewayFile, GatewayLine
from finance.reports.exports.models import Export
from finance.tokens.actions import create_token
from finance.tokens.models import FinanceToken
from tests.builders.api import asked_next
from tests.builders.books.full_books import SANDBOX_COLUMNS
from tests.builders.books.gateway_files import line, pay
from tests.builders.processes.threads import at_once
from tests.builders.staff.people import a_person
from tests.builders.wallet.players import make_player
from wallet.deposits import suspense
from wallet.deposits.models import StaffTask
from wallet.gateways.sandbox_page import Sent
from wallet.ledger.models import Transfer

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("lawful")]

REPORT = "gateway-reconciliation"
PAYMENTS = (
    "id,amount,currency,status,order_id,method,amount_refunded,refund_status,captured,email,"
    "contact,fee,tax,created_at\n"
)
SETTLEMENTS = (
    "transaction_entity,entity_id,amount,currency,fee (exclusive tax),tax,debit,credit,"
    "payment_method,entity_created_at,payment_id,order_id,settlement_id,settled_at\n"
)


def outcomes(page):
    return {(row["outcome"], row["reference"]): row for row in page["results"]}


def test_gateway_reconciliation_outcomes(desk):
    same, minor = pay()
    other, other_minor = pay(50)
    unheard, _ = pay(70)
    stranger = "pay_of_nobody"
    text = SANDBOX_COLUMNS + line(same, minor) + line(other, other_minor - 1) + line(stranger, 5)

    file = desk.upload(text).json()
    page = desk.page(REPORT, file=file["sha256"])

    found = outcomes(page)
    assert set(found) == {
        ("matched", same),
        ("amount differs", other),
        ("missing ours", stranger),
        ("missing theirs", unheard),
    }
    differs = found["amount differs", other]
    assert (differs["theirs_minor"], differs["ours_minor"]) == (other_minor - 1, other_minor)
    assert differs["difference_minor"] == -1
    assert found["matched", same]["key"] == f"gateway:sandbox:{same}"
    totals = page["totals"]["INR"]
    counts = ("matched", "amount_differs", "missing_ours", "missing_theirs")
    assert [totals[name] for name in counts] == [1, 1, 1, 1]
    assert totals["difference_minor"] == totals["theirs_minor"] - totals["ours_minor"]
    held = Transfer.objects.filter(key__startswith="gateway:sandbox:")
    clearing = held.filter(entries__account__kind="gateway_clearing")
    assert totals["ours_minor"] == -sum(clearing.values_list("entries__amount_minor", flat=True))
    assert page["header"]["filters"] == f"file {file['sha256']}"


@pytest.mark.extended
def test_refund_line_is_matched_by_refund_or_payment_reference_once(desk):
    charged_back, minor = pay(100, Sent(), Sent("dispute_lost", case="d1"))
    over, over_minor = pay(60, Sent(surplus_minor=100))
    halved, whole_minor = pay(80, Sent(), Sent("dispute_lost", case="d2"))
    task = StaffTask.objects.get()
    suspense.return_payment(task_id=task.pk, by=make_player(is_staff=True), remark="rfnd_7")
    text = SANDBOX_COLUMNS + line(charged_back, minor) + line(over, over_minor + 100)
    text += line(halved, whole_minor)
    refunds = line("rfnd_6", minor, kind="refund", payment=charged_back)
    refunds += line("rfnd_7", over_minor + 100, kind="refund", payment=over)
    for number in range(2):
        refunds += line(f"half_{number}", whole_minor // 2, kind="refund", payment=halved)

    without = desk.page(REPORT, file=desk.upload(text).json()["sha256"])
    file = desk.upload(text + refunds).json()["sha256"]
    whole = desk.page(REPORT, file=file)

    *matched, first_half, second_half = whole["results"]
    assert {row["outcome"] for row in matched} == {"matched"}
    assert (first_half["outcome"], first_half["ours_minor"]) == ("amount differs", -whole_minor)
    assert (second_half["outcome"], second_half["ours_minor"]) == ("missing ours", None)
    assert whole["totals"]["INR"]["ours_minor"] == 0
    left_out = [row for row in without["results"] if row["outcome"] == "missing theirs"]
    assert {row["ours_minor"] for row in left_out} == {-minor, -over_minor - 100, -whole_minor}
    # Nor does a refund match again on the next page.
    paged, cursor = [], {}
    while cursor is not None:
        part = desk.ask(REPORT, file=file, limit=1, **cursor).json()
        paged += part["results"]
        cursor = {"cursor": asked_next(part)["cursor"]} if part["next"] else None
    assert paged == whole["results"]


def test_payment_before_midnight_matches_the_previous_days_file(desk):
    late, minor = pay()
    early, early_minor = pay()
    yesterday = timezone.now() - timedelta(days=1)
    first = SANDBOX_COLUMNS + line(late, minor, at=yesterday)
    second = SANDBOX_COLUMNS + line(early, early_minor)

    page = desk.page(REPORT, file=desk.upload(first).json()["sha256"])
    following = desk.page(REPORT, file=desk.upload(second).json()["sha256"])

    assert set(outcomes(page)) == {("matched", late)}
    assert set(outcomes(following)) == {("matched", early)}


def test_gateway_file_is_stored_once_for_all_uploaders(desk):
    text = SANDBOX_COLUMNS + line("pay_1", 100)

    first, again = desk.upload(text), desk.upload(text)

    assert (first.status_code, again.status_code) == (201, 200)
    assert first.json() == again.json()
    assert first.json()["sha256"] == hashlib.sha256(text.encode()).hexdigest()
    assert (first.json()["uploaded_by"], first.json()["line_count"]) == ("desk", 1)
    listed = desk.client.get(reverse("finance-gateway-files"), headers=desk.headers).json()
    assert listed == {"results": [first.json()], "next": None}
    token = FinanceToken.objects.get()
    body = (text + line("pay_2", 5)).encode()
    sent = {"provider": "sandbox", "name": "x", "body": body, "uploaded_by": token}
    kept = at_once([lambda: keep_file(**sent)] * 2)
    assert sorted(one.is_new for one in kept) == [False, True]
    assert (GatewayFile.objects.count(), GatewayLine.objects.count()) == (2, 3)


def test_razorpay_payments_file_is_read_with_refunds(desk):
    text = PAYMENTS + (
        "pay_A,500.00,INR,captured,order_1,upi,0.00,,1,a@x.in,+91,10,1.8,27/08/2026 13:57:30\n"
        "pay_B,1250.5,INR,refunded,order_2,card,1250.5,full,1,,,,,1788000000\n"
        'pay_C,20,INR,failed,order_3,upi,0,,0,"q""u\n",,,,27/08/2026 13:57:30\n'
    )

    file = desk.upload(text, "razorpay").json()

    assert (file["shape"], file["line_count"], file["passed_over"]) == ("payments", 3, 1)
    shown = GatewayLine.objects.values_list("number", "what", "reference", "amount_minor")
    assert list(shown) == [
        (2, "payment", "pay_A", 500_00),
        (3, "payment", "pay_B", 1250_50),
        (3, "refund", "pay_B:refunded", -1250_50),
    ]
    assert GatewayLine.objects.first().at.isoformat() == "2026-08-27T08:27:30+00:00"
    assert "a@x.in" not in str([*GatewayLine.objects.values(), file])


def test_razorpay_settlements_file_is_read_with_adjustments(desk):
    text = SETTLEMENTS + (
        "payment,pay_A,500.00,INR,10.00,1.80,0,488.20,upi,2026-08-27T13:57:30+05:30,,o1,s1,\n"
        "refund,rfnd_A,500.00,INR,0,0,500.00,0,upi,27/08/2026 14:00:00,pay_A,o1,s1,\n"
        "adjustment,adj_A,20.00,INR,0,0,20.00,0,,27/08/2026 15:00:00,,,s1,\n"
        "settlement,setl_A,1.00,INR,0,0,1.00,0,,28/08/2026 10:00:00,,,s1,\n"
    )

    file = desk.upload(text, "razorpay").json()

    assert (file["shape"], file["line_count"], file["passed_over"]) == ("settlements", 3, 1)
    page = desk.page(REPORT, file=file["sha256"])
    shown = [(row["outcome"], row["what"], row["theirs_minor"]) for row in page["results"]]
    assert shown == [
        ("missing ours", "payment", 500_00),
        ("missing ours", "refund", -500_00),
        ("missing ours", "other", -20_00),
    ]


GOOD = "payment,pay_1,pay_1,INR,100,2026-08-27T10:00:00Z"


BAD_LINES = [
    ("payment,pay_2,pay_2,INR,1.5,2026-08-27T10:00:00Z", "bad_amount"),
    ("payment,pay_2,pay_2,INR,0,2026-08-27T10:00:00Z", "bad_amount"),
    ("payment,pay_2,pay_2,INR,99999999999999999,2026-08-27T10:00:00Z", "bad_amount"),
    ("payment,pay_2,pay_2,XYZ,100,2026-08-27T10:00:00Z", "bad_currency"),
    ("payment,pay_2,pay_2,INR,100,yesterday", "bad_time"),
    ("payment,pay_2,pay_2,INR,100,0001-01-01T00:00:00Z", "bad_time"),
    (f"payment,{'x' * 81},pay_2,INR,100,2026-08-27T10:00:00Z", "bad_reference"),
    ("payment,\x00,pay_2,INR,100,2026-08-27T10:00:00Z", "bad_reference"),
    ("gift,pay_2,pay_2,INR,100,2026-08-27T10:00:00Z", "unknown_kind"),
    (GOOD, "repeated_reference"),
    ("payment,pay_2", "wrong_cells"),
    ('payment,"pay_2" x,pay_2,INR,100,2026-08-27T10:00:00Z', "bad_csv"),
]


def test_gateway_file_with_a_bad_line_is_refused_by_the_api(desk):
    for bad, code in BAD_LINES:
        answer = desk.upload(f"{SANDBOX_COLUMNS}{GOOD}\n\n{bad}\n")

        shown = answer.json()
        assert (answer.status_code, shown["code"], shown["bad_lines"]) == (400, "bad_file", 1), bad
        assert [(line["position"], line["code"]) for line in shown["lines"]] == [("line 4", code)]

    assert not GatewayFile.objects.exists()
    assert not GatewayLine.objects.exists()


ANOTHER_FORMAT = [
    (b"", "sandbox", "bad_file"),
    (b"\xff\xfe", "sandbox", "bad_file"),
    (b"a,b\n1,2\n", "razorpay", "bad_file"),
    (SANDBOX_COLUMNS.encode(), "razorpay", "bad_file"),
    (f"amount_minor,{SANDBOX_COLUMNS}1,{GOOD}\n".encode(), "sandbox", "bad_file"),
    (SANDBOX_COLUMNS.encode(), "paypal", "invalid"),
]
UNEVEN = b"""[{"type": "payment", "entity_id": "p", "currency": "INR", "created_at": 1795000000,
    "amount": "5.00"}]"""
BAD_JSON = [
    (b"{", "bad_json"),
    (b'{"items": 7}', "bad_json"),
    (b"[7]", "wrong_cells"),
    (UNEVEN, "bad_amount"),
]


def test_file_of_another_format_is_refused(desk):
    for body, provider, code in ANOTHER_FORMAT:
        answer = desk.upload(body, provider)
        assert (answer.status_code, answer.json()["code"]) == (400, code), body
    for body, code in BAD_JSON:
        answer = desk.upload(body, "razorpay")
        assert [bad["code"] for bad in answer.json()["lines"]] == [code], body
    assert not GatewayFile.objects.exists()


def test_gateway_reconciliation_needs_an_uploaded_file_and_the_scope(desk, client):
    unknown, unnamed = desk.ask(REPORT, file="0" * 64), desk.ask(REPORT, file="")
    _, text = create_token(name="other", scopes=["rake"], created_by=None)
    desk.headers = {"Authorization": f"Bearer {text}"}

    assert (unknown.status_code, unknown.json()["code"]) == (404, "unknown_file")
    assert (unnamed.status_code, unnamed.json()["code"]) == (400, "bad_parameter")
    assert desk.upload(SANDBOX_COLUMNS).status_code == 403
    assert not Export.objects.exists()
    assert not GatewayFile.objects.exists()


UNEVEN = b"""[{"type": "payment", "entity_id": "p", "currency": "INR", "created_at": 1795000000,
    "amount": "5.00"}]"""


ADD = "admin:finance_gatewayfile_add"


@pytest.fixture
def bookkeeper(client):
    person = a_person("Finance")
    client.force_login(person)
    return person


def upload(client, text, **more):
    sent = SimpleUploadedFile("day.csv", text.encode())
    return client.post(reverse(ADD), {"provider": "sandbox", "file": sent}, **more)


@pytest.mark.extended
def test_file_uploaded_in_the_admin_is_compared_and_recorded_once(client, bookkeeper):
    same, minor = pay()
    text = SANDBOX_COLUMNS + line(same, minor) + line("pay_x", 5)

    shown = upload(client, text, follow=True)

    file = GatewayFile.objects.get()
    page = reverse("admin:finance_gatewayfile_reconciliation", args=[file.pk])
    assert shown.redirect_chain == [(page, 302)]
    [of_rupees] = shown.context["comparison"].sums
    assert (of_rupees.currency, of_rupees.counts, of_rupees.agrees) == ("INR", (1, 0, 1, 0), False)
    assert ("pay_x" in shown.text, same in shown.text) == (True, False)
    assert (file.staff, file.uploaded_by, file.line_count) == (bookkeeper, None, 2)
    act = AuditEntry.objects.get(kind="finance.gatewayfile")
    assert (act.by, act.act, act.row) == (bookkeeper, "upload", str(file.pk))
    assert "uploaded before" in upload(client, text, follow=True).text
    assert GatewayFile.objects.count() == AuditEntry.objects.filter(act="upload").count() == 1


def test_gateway_file_with_bad_lines_is_not_stored(client, bookkeeper):
    answer = upload(client, SANDBOX_COLUMNS + "gift,a,a,INR,5,2026-08-27\n<b>,1\n")

    _, second, third = answer.context["adminform"].form.errors.get_json_data()["file"]
    assert second["message"].startswith("Line 2: ")
    assert "unknown_kind" in second["message"]
    assert third["message"].startswith("Line 3: ")
    assert "<b>,1" not in answer.text
    wrong = client.post(reverse(ADD), {"provider": "paypal"})
    assert set(wrong.context["adminform"].form.errors) == {"provider", "file"}
    assert not GatewayFile.objects.exists()
