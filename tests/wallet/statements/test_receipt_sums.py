"""Every receipt adds up to its transfer, in every language, for its own players."""

from random import Random

import pytest
from django.conf import settings as configured
from django.urls import reverse
from django.utils import translation

from tests.builders.people.regions import open_region
from tests.builders.wallet.amounts import inr
from tests.builders.wallet.bonus_desk import RELEASE, days_later, findings_later, give, settle
from tests.builders.wallet.cashier_desk import make_deposit, tell
from tests.builders.wallet.players import fund, make_escrow, make_player, make_stake
from tests.builders.wallet.tax_office import let_years_pass, make_winner, send, withdraw
from wallet.bonuses import expiry as bonus_expiry
from wallet.bonuses import play_points
from wallet.corrections import adjustments, restitutions
from wallet.deposits.models import GatewayEvent
from wallet.gateways.sandbox_page import Sent
from wallet.ledger import accounts
from wallet.ledger.models import Account, Entry, Transfer
from wallet.ledger.money import as_money
from wallet.ledger.receipt_line import total
from wallet.stakes import paid_entries, stacks, stakes
from wallet.statements.receipts import receipt_of
from wallet.tax.withholding import settle_past_years
from wallet.withdrawals import withdrawals

pytestmark = pytest.mark.django_db
Kind = Transfer.Kind


def make_rich(random):
    """Return a player with two lots, a locked bonus, deposit and winnings, all odd amounts."""
    player = make_player()
    for days in (5, 9):
        give(player, inr(random.randint(1, 9_00)).amount, days=days)
    give(player, inr(random.randint(1, 9_00)).amount, days=7, mode=RELEASE)
    fund(player, deposit=random.randint(20_00, 90_00), winnings=random.randint(500_00, 600_00))
    return player


def join(player, escrow, entry, key, rake_bps=0):
    return stakes.take_stake(player=player, escrow=escrow, entry=entry, rake_bps=rake_bps, key=key)


def play_pools(random):
    """Somebody leaves each; one is settled, one called off after an entry was lost."""
    rich = [make_rich(random) for _ in range(3)]
    entry, rake_bps = inr(random.randint(1_00, 99_00)), random.choice([0, 1_000, 1_234])
    for name in ("settled", "called off"):
        escrow = make_escrow()
        paid = [join(one, escrow, entry, f"join:{name}:{one.pk}", rake_bps) for one in rich]
        stakes.return_stakes(stakes=[paid.pop()], key=f"left:{name}")
        if name == "settled":
            settle(*paid, key="finish")
            continue
        lost = stakes.lose_stake(stake=paid[0])
        share = inr(2 * lost.entry_minor - lost.rake_minor)
        stakes.cancel_game(escrow=escrow, stakes=paid, key="off", shares=[(rich[1], share)])


def play_for_points(random):
    """Deals pass stacks, one with a rake; both leave, one after a bonus of theirs has ended."""
    pair, escrow = [make_rich(random) for _ in range(2)], make_escrow()
    stack = random.randint(10_00, 90_00)
    for seat, player in enumerate(pair):
        join(player, escrow, inr(stack), f"buyin:{seat}:1")
    for deal, (loser, winner) in enumerate([pair, pair[::-1], pair]):
        stacks.pass_stacks(
            escrow=escrow,
            losses={loser.pk: inr(random.randint(2, stack // 4))},
            winner=winner,
            rake=inr(deal % 2),
            key=f"deal:{deal}",
        )
    stacks.cash_out(escrow=escrow, player=pair[0], key="cashout:0", closes_game=False)
    with days_later(6):
        stacks.cash_out(escrow=escrow, player=pair[1], key="cashout:1", closes_game=True)


def play_for_a_ticket(random):
    """A ticket is won beside a prize; one like it pays an entry, comes back and is paid out."""
    winner, other, escrow = make_rich(random), make_rich(random), make_escrow()
    worth = inr(random.randint(1_00, 9_00))
    entry = worth * 2
    paid = [join(one, escrow, entry, f"join:satellite:{one.pk}") for one in (winner, other)]
    ticket = accounts.open_ticket(player=winner, ref="ticket:1", currency="INR")
    stakes.settle_game(
        escrow=escrow,
        stakes=paid,
        prizes=[(other, entry), (winner, worth)],
        to_accounts=[(ticket, worth)],
        key="finish:satellite",
    )
    stake = paid_entries.take_stake(
        player=winner,
        escrow=make_escrow(),
        entry=worth,
        rake_bps=1_000,
        paid_from=ticket,
        key="join:by ticket",
    )
    stakes.return_stakes(stakes=[stake], key="left:by ticket")
    paid_entries.pay_back(account=ticket, player=winner, key="ticket-back:1")


def win_a_game(winner, prize):
    escrow, own = make_escrow(), inr(1_00)
    theirs = make_stake(escrow=escrow, entry=prize - own, rake_bps=0)
    mine = join(winner, escrow, own, "join:won")
    stakes.settle_game(
        escrow=escrow, stakes=[mine, theirs], prizes=[(winner, prize)], key="finish:won"
    )


def see_the_cashier(random):
    """Deposits with GST, a dispute, withdrawals with tax and without, a year's end, correction."""
    tell(make_deposit(random.randint(100, 999)), Sent())
    lost = Sent(GatewayEvent.Kind.DISPUTE_LOST, case="lost")
    tell(make_deposit(random.randint(100, 999)), Sent(), lost)
    winner = make_winner(deposit=random.randint(50, 100))
    win_a_game(winner, inr(random.randint(500_00, 900_00)))
    clerk = make_player(is_staff=True)
    for way in ("mark_paid", "mark_failed"):
        sent = send(withdraw(winner, random.randint(100, 200)))
        getattr(withdrawals, way)(withdrawal_id=sent.pk, by=clerk, remark=way)
    let_years_pass()
    settle_past_years(player=winner, currency="INR")
    suspense = accounts.operator_account(kind=Account.Kind.SUSPENSE, currency="INR")
    asked = adjustments.request_adjustment(
        source=suspense,
        target=fund(winner)["deposit"],
        amount=inr(random.randint(1, 99)),
        reason="Paid twice",
        by=clerk,
    )
    adjustments.approve_adjustment(adjustment=asked, by=make_player(is_staff=True))
    play_points.grant_sign_up(player=winner)


def share_out_void_prizes(random):
    """Two players worked together: what they won goes to two others, part of it as a debt."""
    one, another, *others = [make_rich(random) for _ in range(4)]
    given, owed = random.randint(1_00, 9_00), 900_00 + random.randint(1, 99)
    asked = restitutions.ask_restitution(
        ref="finding:1",
        currency="INR",
        lines={one.pk: -given, another.pk: -owed}
        | {victim.pk: minor for victim, minor in zip(others, (given, owed), strict=True)},
        reason="They showed each other their cards",
        by=make_player(is_staff=True),
    )
    restitutions.approve_restitution(restitution_id=asked.pk, by=make_player(is_staff=True))


def owned():
    """Return every transfer with each of the players whose money it moved."""
    entries = Entry.objects.filter(account__player__isnull=False)
    pairs = entries.select_related("transfer", "account__player").order_by("pk")
    return {(e.transfer.pk, e.account.player.pk): (e.transfer, e.account.player) for e in pairs}


def adds_up(receipt):
    """Return whether who adds the lines up comes to each result, and at last to what was posted."""
    lines, moved = receipt.sums, total(receipt.entries)
    kind, nothing = receipt.transfer.kind, as_money(0, moved.currency.code)
    ends = [place for place, line in enumerate(lines) if line.is_result]
    results = [lines[place].money for place in ends]

    def between(start, end):
        return sum((line.money for line in lines[start:end]), nothing)

    if not ends:
        return between(0, None) == moved
    if kind == Kind.RELEASE:
        # The entry; of each lot what was released and what stays; what was paid.
        return between(1, -1) - sum((line.money for line in lines[2:-1:2]), nothing) == results[0]
    if kind == Kind.WITHDRAWAL:
        asked, net, payout = results
        letters = between(ends[0] + 1, ends[1])
        return (
            between(0, ends[0]) == asked
            and net == max(letters, nothing)
            and (payout - asked == moved == lines[-2].money)
        )
    if kind == Kind.TAX:
        net, tax = results
        taken = [line.money for line in lines[: ends[1]]][-len(receipt.entries) :]
        return net == max(between(0, ends[0]), nothing) and sum(taken, nothing) == tax == moved
    running = nothing
    for line in lines[: ends[-1] + 1]:
        if line.is_result and running != line.money:
            return False
        running = running if line.is_result else running + line.money
    # The text after the last amount says where the money is.
    buckets = between(ends[-1] + 1, None) if kind != Kind.BUY_IN else nothing
    return buckets in (nothing, moved) and abs(moved) in map(abs, results)


MORE = [pytest.param(seed, marks=pytest.mark.soak) for seed in range(1, 20)]


@pytest.mark.extended
@pytest.mark.parametrize("seed", [0, *MORE])
def test_every_receipt_adds_up_for_its_players_alone_in_every_language(client, seed):
    open_region("IN-KA")
    random = Random(seed)
    see_the_cashier(random)
    play_pools(random)
    play_for_points(random)
    play_for_a_ticket(random)
    share_out_void_prizes(random)
    with days_later(10):
        bonus_expiry.expire_due_bonuses()
    assert findings_later(10) == ()

    shown = owned().values()

    assert {transfer.kind for transfer, _ in shown} == set(Kind) - {Kind.RAKE, Kind.FEE}
    for transfer, player in shown:
        figures = set()
        for language, _name in configured.LANGUAGES:
            with translation.override(language):
                receipt = receipt_of(transfer, player)
            assert receipt.sentence
            assert adds_up(receipt), [transfer.key, *receipt.sums]
            figures.add(tuple(line.money for line in receipt.sums))
        assert len(figures) == 1

    stranger, one_each = (
        make_player(),
        {transfer.kind: (transfer, player) for transfer, player in shown},
    )
    for transfer, player in one_each.values():
        for name, reader, status in (
            ("wallet-receipt", player, 200),
            ("api-receipt", player, 200),
            ("wallet-receipt", stranger, 404),
            ("api-receipt", stranger, 404),
        ):
            client.force_login(reader)
            answer = client.get(reverse(name, args=[transfer.public_id]))
            assert answer.status_code == status, (transfer, name)
