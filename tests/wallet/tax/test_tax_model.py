"""Property test: withholding equals the rule written in plain Python (RB 11.4)."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import count

import pytest
from django.db import transaction
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from moneyed import Money

from tests.builders.wallet.payout_desk import payee_for
from tests.builders.wallet.players import balances, fund, make_player
from tests.builders.wallet.tax_office import give_back, let_years_pass
from wallet.audit.audit import row_findings
from wallet.ledger import accounts, posting
from wallet.ledger.money import as_money
from wallet.tax import withholding
from wallet.tax.assessment import quote_withdrawal
from wallet.withdrawals import withdrawals

pytestmark = pytest.mark.django_db
_numbers = count(1)


@dataclass
class Out:
    from_deposit: int
    from_winnings: int
    taxed: int
    year: int
    is_back: bool = False

    @property
    def gross(self) -> int:
        return self.from_deposit + self.from_winnings


def thirty_percent(net: int) -> int:
    return (3 * net + 5) // 10


@dataclass
class Book:
    """One player's year after year: buckets, and the letters of the rule."""

    deposit: int = 0
    winnings: int = 0
    b: int = 0
    c: int = 0
    year: int = 0
    year_end_tax: int = 0
    won: int = 0
    outs: list[Out] = field(default_factory=list)

    def standing(self) -> list[Out]:
        return [out for out in self.outs if out.year == self.year and not out.is_back]

    def net(self, more: int) -> int:
        a = sum(out.gross for out in self.standing()) + more
        e = sum(out.taxed for out in self.standing())
        return max(0, a - (self.b + self.c + e))

    def withdraw(self, amount: int) -> Out:
        from_deposit = min(amount, self.deposit)
        out = Out(from_deposit, amount - from_deposit, self.net(amount), self.year)
        self.deposit -= out.from_deposit
        self.winnings -= out.from_winnings
        self.outs.append(out)
        return out

    def come_back(self, out: Out) -> None:
        out.is_back = True
        self.deposit += out.from_deposit
        self.winnings += out.from_winnings
        if out.year < self.year:
            self.c += out.gross - out.taxed

    def end_year(self) -> None:
        d = self.deposit + self.winnings
        tax = thirty_percent(self.net(d))
        from_winnings = min(tax, self.winnings)
        self.winnings -= from_winnings
        self.deposit -= tax - from_winnings
        self.year_end_tax += tax
        self.b, self.c, self.year = 0, d - tax, self.year + 1

    def lose(self, amount: int) -> tuple[int, int]:
        from_deposit = min(amount, self.deposit)
        self.deposit -= from_deposit
        self.winnings -= amount - from_deposit
        return from_deposit, amount - from_deposit

    def tax(self) -> int:
        stand = (thirty_percent(out.taxed) for out in self.outs if not out.is_back)
        return sum(stand) + self.year_end_tax


class Wallet:
    """The same steps in the database."""

    def __init__(self) -> None:
        self.player = make_player()
        self.mine = fund(self.player)
        self.promotions = accounts.operator_account(kind="promotions", currency="INR")
        self.withdrawals: list = []

    def post(self, kind: str, *entries: tuple) -> None:
        moved = [(account, minor) for account, minor in entries if minor]
        posting.post(key=f"model:{next(_numbers)}", kind=kind, entries=moved)

    def act(self, book: Book, name: str, amount: int) -> None:
        if name == "deposit":
            fund(self.player, deposit=amount)
            book.deposit, book.b = book.deposit + amount, book.b + amount
        elif name == "win":
            self.post("prize", (self.promotions, -amount), (self.mine["winnings"], amount))
            book.winnings, book.won = book.winnings + amount, book.won + amount
        elif name == "year":
            let_years_pass()
            withholding.settle_past_years(player=self.player, currency="INR")
            book.end_year()
        elif name == "back":
            self.back(book, amount)
        elif amount <= book.deposit + book.winnings:
            getattr(self, name)(book, amount)

    def lose(self, book: Book, amount: int) -> None:
        parts = zip(("deposit", "winnings"), book.lose(amount), strict=True)
        taken = [(self.mine[kind], -part) for kind, part in parts]
        self.post("buy_in", *taken, (self.promotions, amount))

    def withdraw(self, book: Book, amount: int) -> None:
        asked = as_money(amount, "INR")
        quote = quote_withdrawal(player=self.player, amount=asked)
        made = withdrawals.request_withdrawal(
            player=self.player,
            amount=asked,
            payee=payee_for(self.player),
            requested_by=self.player,
            agreed_tax=quote.tax,
        )
        self.withdrawals.append(made)
        out = book.withdraw(amount)
        assert (made.deposit_minor, made.winnings_minor) == (out.from_deposit, out.from_winnings)
        assert made.withholding.net_minor == out.taxed
        assert made.tax_minor == thirty_percent(out.taxed)

    def back(self, book: Book, amount: int) -> None:
        waiting = [place for place, out in enumerate(book.outs) if not out.is_back]
        if waiting:
            place = waiting[amount % len(waiting)]
            give_back(self.withdrawals[place])
            book.come_back(book.outs[place])


ACTS = st.lists(
    st.tuples(
        st.sampled_from(["deposit", "win", "win", "lose", "withdraw", "withdraw", "back", "year"]),
        st.integers(min_value=1, max_value=3_000),
    ),
    min_size=4,
    max_size=14,
)


@pytest.mark.parametrize("examples", [4, pytest.param(25, marks=pytest.mark.extended)])
def test_withholding_equals_the_model_of_the_rule(examples):
    many = settings(
        max_examples=examples, deadline=None, phases=[Phase.generate], derandomize=examples == 4
    )
    many(given(ACTS)(keep_the_rule))()


def keep_the_rule(acts):
    # Not a block of its own: what is tried in it may insist on committing by itself.
    before = transaction.savepoint()
    try:
        _compare(acts)
    finally:
        transaction.set_rollback(False)
        transaction.savepoint_rollback(before)


def _compare(acts):
    wallet, book = Wallet(), Book()

    for name, amount in acts:
        wallet.act(book, name, amount)

    payable = withholding.payable_account(player=wallet.player, currency="INR")
    rows = wallet.player.withholdings.filter(transfer__reversed_by__isnull=True)
    assert balances(wallet.mine["deposit"], wallet.mine["winnings"]) == [
        book.deposit,
        book.winnings,
    ]
    assert sum(row.tax_minor for row in rows) == book.tax()
    assert payable.balance_minor >= book.tax()
    # The taxed sum never exceeds the winnings, except for rounding of half a paisa.
    assert 10 * book.tax() <= 3 * book.won + 5 * len(acts)


@pytest.mark.extended
def test_ledger_is_balanced_after_many_random_steps():
    wallet, book = Wallet(), Book()
    life = [("deposit", 900), ("win", 1_501), ("withdraw", 1_200), ("lose", 77), ("back", 0)]

    for name, amount in [*life, ("withdraw", 1_999), ("year", 1), *life, ("year", 1), *life]:
        wallet.act(book, name, amount)

    assert row_findings() == ()
    assert Money(0, "INR") <= as_money(book.tax(), "INR")
