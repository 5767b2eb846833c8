"""The statement has one row per act; its running total is what the player can spend."""

from datetime import timedelta
from itertools import pairwise

import pytest
from django.urls import reverse
from django.utils import timezone
from hypothesis import given, settings
from hypothesis import strategies as st
from moneyed import Money

from tests.builders.books.full_books import a_day_passes
from tests.builders.wallet.amounts import sent
from tests.builders.wallet.bonus_desk import give, join, rupees
from tests.builders.wallet.filters import SENSELESS
from tests.builders.wallet.payout_desk import make_sent, make_withdrawal, step
from tests.builders.wallet.players import fund, make_escrow, make_player
from wallet.bonuses import play_points
from wallet.ledger import accounts
from wallet.ledger.models import Transfer
from wallet.stakes import stakes
from wallet.stakes.balances import games_of, wallet_of
from wallet.statements.act_texts import rows_of
from wallet.statements.acts import KINDS, ActKind, ActStatement, first_days
from wallet.statements.receipts import _DESCRIPTIONS
from wallet.statements.statement import _WORDS

pytestmark = pytest.mark.django_db


def play(player, rival, entry, *, prize=None, tickets=(), memo="Pool 101"):
    """Play a game for an entry each; `prize` None leaves it in play."""
    escrow = make_escrow()
    stakes_taken = [
        stakes.take_stake(
            player=each,
            escrow=escrow,
            entry=rupees(entry),
            rake_bps=0,
            key=f"buyin:{escrow.pk}:{each.pk}",
            memo=memo,
        )
        for each in (player, rival)
    ]
    if prize is not None:
        shares = [(who, rupees(share)) for who, share in zip((player, rival), prize, strict=True)]
        stakes.settle_game(
            escrow=escrow,
            stakes=stakes_taken,
            prizes=[(who, share) for who, share in shares if share],
            to_accounts=tickets,
            key=f"finish:{escrow.pk}",
            memo=memo,
        )


def rows(player, currency="INR", **filters):
    return list(rows_of(ActStatement(player, currency, **filters).acts()))


def lines(player, currency="INR", **filters):
    return [
        (row.title, row.details, row.status, row.act.money.amount)
        for row in rows(player, currency, **filters)
    ]


@pytest.mark.parametrize(
    ("prize", "row"),
    [
        ((180, 20), ("Pool 101", "Entry ₹100.00 · Prize ₹180.00", "", 80)),
        ((0, 200), ("Pool 101", "Entry ₹100.00 · No prize", "", -100)),
        (None, ("Pool 101", "Entry ₹100.00", "In play", -100)),
    ],
    ids=["won", "lost", "in play"],
)
def test_game_is_one_row_with_stake_prize_and_net(prize, row):
    player, rival = make_player(), make_player()
    fund(player, deposit=500_00)
    fund(rival, deposit=500_00)

    play(player, rival, 100, prize=prize)

    assert lines(player) == [row, ("Deposit", "", "", 500)]


def approved():
    withdrawal = make_withdrawal()
    step("approve", withdrawal)
    return withdrawal


def paid():
    withdrawal = make_sent()
    step("mark_paid", withdrawal)
    return withdrawal


def rejected():
    withdrawal = make_withdrawal()
    step("reject", withdrawal)
    return withdrawal


def test_game_won_a_ticket_is_not_without_a_prize():
    player, rival = make_player(), make_player()
    fund(player, deposit=500_00)
    fund(rival, deposit=500_00)
    ticket = accounts.open_ticket(player=player, ref=f"ticket:{player.pk}", currency="INR")

    play(player, rival, 100, prize=(0, 20), tickets=[(ticket, rupees(180))])

    assert lines(player)[0] == ("Pool 101", "Entry ₹100.00 · Ticket won", "", -100)
    assert lines(rival)[0] == ("Pool 101", "Entry ₹100.00 · Prize ₹20.00", "", -80)


@pytest.mark.parametrize(
    ("made", "status", "sign"),
    [
        (make_withdrawal, "Waiting for approval", -1),
        (approved, "Approved", -1),
        (paid, "Paid", -1),
        # Requested and returned on the same day: no money moved.
        (rejected, "Rejected", 0),
    ],
)
def test_withdrawal_is_one_row_whose_status_follows(lawful, made, status, sign):
    withdrawal = made()

    [row] = rows(withdrawal.player, kind=ActKind.WITHDRAWAL)

    assert (row.title, row.status) == ("Withdrawal", status)
    assert row.act.money == withdrawal.amount * sign


def test_row_of_a_past_period_ignores_later_statuses(lawful):
    withdrawal = make_sent()
    before = timezone.now()
    step("mark_paid", withdrawal)
    acts = list(ActStatement(withdrawal.player, "INR", kind=ActKind.WITHDRAWAL).acts())

    assert [row.status for row in rows_of(acts, until=before)] == ["Approved"]
    assert [row.status for row in rows_of(acts)] == ["Paid"]


def test_currencies_are_apart_and_grants_are_free_points():
    player = make_player()
    play_points.grant_sign_up(player=player)
    fund(player, deposit=7_00)

    assert list(first_days(player)) == ["INR", "PTS"]
    assert lines(player, "PTS") == [("Free points: Welcome", "", "", 10_000)]
    assert lines(player) == [("Deposit", "", "", 7)]


def test_every_kind_of_transfer_has_a_kind_of_act_a_label_and_a_receipt():
    assert set(KINDS) == set(_WORDS) == set(_DESCRIPTIONS) == set(Transfer.Kind)
    assert set(KINDS.values()) == set(ActKind)


PLAYED = st.one_of(
    st.tuples(st.just("deposit"), st.integers(1, 900)),
    st.tuples(st.just("winnings"), st.integers(1, 900)),
    st.tuples(st.just("won"), st.integers(1, 50)),
    st.tuples(st.just("lost"), st.integers(1, 50)),
    st.tuples(st.just("in play"), st.integers(1, 50)),
)
PRIZES = {"won": (2, 0), "lost": (0, 2), "in play": None}


@settings(max_examples=15, deadline=None)
@given(events=st.lists(PLAYED, max_size=12), size=st.integers(1, 4))
def test_rows_add_up_to_the_balance_on_every_page_size(events, size):
    player, rival = make_player(), make_player()
    fund(player, deposit=10_000_00)
    fund(rival, deposit=10_000_00)
    for what, amount in events:
        if what in ("deposit", "winnings"):
            fund(player, **{what: amount * 100})
        else:
            shares = PRIZES[what]
            play(player, rival, amount, prize=shares and [share * amount for share in shares])

    statement, found = ActStatement(player, "INR"), []
    while page := statement.page(cursor=found[-1].cursor if found else "", size=size):
        found += page

    [wallet] = [each for each in wallet_of(player) if each.currency == "INR"]
    assert found == list(statement.acts())
    assert len(found) == 1 + len(events)
    assert found[0].balance == wallet.spendable
    for later, earlier in pairwise(found):
        assert later.balance - later.money == earlier.balance
    assert found[-1].balance == found[-1].money
    summary = statement.summary()
    assert summary.closing == wallet.spendable
    assert sum(summary.sums.values(), start=summary.opening) == summary.closing


def test_days_add_up_from_one_to_the_next():
    player, rival = make_player(), make_player()
    fund(rival, deposit=500_00)
    for amount in (100, 200, 300):
        a_day_passes()
        fund(player, deposit=amount * 100)
        play(player, rival, 10, prize=(0, 20))
    today = Transfer.objects.latest("pk").booked_on
    days = [today - timedelta(days=number) for number in (2, 1, 0)]

    summaries = [ActStatement(player, "INR", first=day, last=day).summary() for day in days]

    assert [each.closing for each in summaries] == [rupees(90), rupees(280), rupees(570)]
    assert [each.opening for each in summaries] == [rupees(0), rupees(90), rupees(280)]
    for day, summary in zip(days, summaries, strict=True):
        acts = list(ActStatement(player, "INR", first=day, last=day).acts())
        assert acts[0].balance == summary.closing
        assert [act.kind for act in acts] == [ActKind.GAME, ActKind.DEPOSIT]


def test_the_page_shows_my_latest_rows_only(client, django_assert_max_num_queries):
    me, other = make_player(), make_player()
    play_points.grant_sign_up(player=me)
    for amount in range(1, 12):
        fund(me, deposit=amount * 100)
    fund(other, deposit=987_65)
    client.force_login(me)

    with django_assert_max_num_queries(30):
        page = client.get(reverse("wallet")).content.decode()

    assert "987.65" not in page
    # The latest five rows in each currency.
    assert page.count("<tr>") == (1 + 5) + (1 + 1)
    assert "10,000\xa0PTS" in page
    assert "Free points" in page
    # The buttons are above the balances, so that a phone shows them first.
    assert page.index(reverse("start-withdrawal")) < page.index('id="wallet-PTS"')


def test_wallet_page_shows_the_money_in_each_game(client):
    me, other = make_player(), make_player()
    fund(me, deposit=500_00)
    fund(other, deposit=77_00)
    tables = [make_escrow() for _ in range(2)]
    entries = [(me, 0, 100, "Table A"), (me, 1, 30, "Table B"), (me, 1, 20, "Table B")]
    taken = [
        stakes.take_stake(
            player=player,
            escrow=tables[table],
            entry=Money(rupees, "INR"),
            rake_bps=0,
            key=f"buyin:{no}",
            memo=memo,
        )
        for no, (player, table, rupees, memo) in enumerate([*entries, (other, 0, 77, "Table C")])
    ]
    client.force_login(me)

    page = client.get(reverse("wallet")).content.decode()
    rows = [(row.game, row.held, row.paid_by) for row in games_of(me)]

    assert rows == [
        ("Table A", Money(100, "INR"), taken[0].transfer.public_id),
        ("Table B", Money(50, "INR"), taken[2].transfer.public_id),
    ]
    assert sum(held.amount for _game, held, _paid in rows) == wallet_of(me)[0].in_games.amount
    assert "Table A" in page
    assert "Table B" in page
    assert "Table C" not in page


def test_wallet_api_returns_balances_by_bucket(client, me):
    fund(me, deposit=120_00, winnings=5_00)
    give(me, 50)
    stake = join(me)

    shown = client.get(reverse("api-wallet")).json()

    assert shown["wallets"] == [
        {
            "currency": "INR",
            "spendable": sent(75_00),
            "bonus": sent(40_00),
            "deposit": sent(30_00),
            "winnings": sent(5_00),
            "in_games": sent(100_00),
            "locked_bonus": sent(0),
            "withdrawal_hold": sent(0),
            "owed": sent(0),
        }
    ]
    [game] = shown["games"]
    assert (game["held"], game["transfer"]) == (sent(100_00), str(stake.transfer.public_id))
    [bonus] = shown["bonuses"]
    assert (bonus["granted"], bonus["left"], bonus["mode"]) == (sent(50_00), sent(40_00), "spend")


@pytest.mark.extended
def test_the_statement_is_walked_to_its_end(client, me):
    for units in range(1, 103):
        fund(me, deposit=units * 100)
    fund(make_player(), deposit=987_65)
    address = reverse("api-statement")

    first_page = client.get(address)
    first = first_page.json()
    fund(me, deposit=500_00)
    rest = client.get(first["next"]).json()

    rows = [*first["results"], *rest["results"]]
    assert [row["amount"]["minor"] for row in rows] == [*range(102_00, 0, -1_00)]
    assert first_page["Link"] == f'<{first["next"]}>; rel="next"'
    assert (rows[-1]["balance"], rows[-1]["kind"], rest["next"]) == (sent(1_00), "deposit", None)


def test_the_statement_is_filtered(client, me):
    fund(me, deposit=120_00)
    join(me)

    paid = client.get(reverse("api-statement"), {"kind": "buy_in"}).json()["results"]

    assert [(row["amount"], row["bucket"]) for row in paid] == [(sent(-100_00), "Deposit")]


@pytest.mark.parametrize("wrong", [{"before": "17"}, *SENSELESS])
def test_a_question_that_means_nothing_is_refused(client, me, wrong):
    fund(me, deposit=1_00)

    answer = client.get(reverse("api-statement"), wrong)

    assert (answer.status_code, answer.json()["code"]) == (400, "bad_parameter")


def test_receipt_has_entries_and_sums(client, me):
    fund(me, deposit=120_00)
    transfer = join(me).transfer

    shown = client.get(reverse("api-receipt", args=[transfer.public_id])).json()

    assert (shown["id"], shown["kind"]) == (str(transfer.public_id), "buy_in")
    assert [entry["amount"] for entry in shown["entries"]] == [sent(-100_00)]
    assert sent(100_00) in [line["amount"] for line in shown["sums"]]


def test_api_refills_play_points_or_says_why_not(client, me):
    filled = client.post(reverse("api-refill"))
    [points] = filled.json()["wallets"]
    assert (points["currency"], points["deposit"]) == ("PTS", sent(10_000_00, "PTS"))
    assert client.post(reverse("api-refill")).json() == filled.json()

    other = make_player()
    play_points.grant_sign_up(player=other)
    client.force_login(other)
    refused = client.post(reverse("api-refill"))
    assert (refused.status_code, refused.json()["code"]) == (409, "points_suffice")
