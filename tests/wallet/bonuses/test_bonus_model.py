"""Property test: bonuses in the database equal a plain Python model (RB 11.1)."""

from datetime import timedelta
from itertools import count

import pytest
from django.db import transaction
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from moneyed import Money

from core.clock import database_now
from tests.builders.processes import clocks
from tests.builders.wallet.bonus_oracle import BonusOracle
from tests.builders.wallet.players import balances, fund, give_bonus, make_escrow, make_player
from wallet.audit.audit import row_findings
from wallet.bonuses import expiry as bonus_expiry
from wallet.bonuses.liability import liability_totals
from wallet.bonuses.models import BonusGrant
from wallet.ledger import accounts
from wallet.ledger.models import Account
from wallet.ledger.money import as_money
from wallet.stakes import stakes
from wallet.stakes.models import StakePart

_numbers = count(1)
PLAYERS, PURSE = 2, 10**12

players = st.integers(0, PLAYERS - 1)
picks = st.integers(0, 99)
grants = st.tuples(
    st.just("grant"),
    players,
    st.sampled_from(["spend", "release"]),
    st.integers(1, 20_00),
    st.integers(1, 9),
)
joins = st.tuples(st.just("join"), picks, players, st.integers(1, 199_99))
acts = st.one_of(
    grants,
    grants,
    joins,
    joins,
    joins,
    st.tuples(st.sampled_from(["leave", "lose", "cancel"]), picks),
    st.tuples(st.just("settle"), picks, players),
    st.tuples(st.just("wait"), st.integers(1, 4)),
    st.just(("sweep",)),
)
# Lots of which the later one ends first, and a player in a game: most steps have an effect.
OPENING = [
    *(
        ("grant", player, mode, 12_00, days)
        for player in range(PLAYERS)
        for mode, days in [("spend", 9), ("spend", 3), ("release", 8), ("release", 2)]
    ),
    *(("join", 0, player, 60_00) for player in range(PLAYERS)),
]


class Books:
    """The same steps in the database and in the model; two games are always open."""

    def __init__(self):
        self.model = BonusOracle()
        self.began = database_now()
        self.players = [make_player() for _ in range(PLAYERS)]
        self.accounts = [fund(player, deposit=PURSE) for player in self.players]
        self.promotions = accounts.operator_account(kind=Account.Kind.PROMOTIONS, currency="INR")
        self.lots, self.escrows, self.paid, self.open = [], [], [], []
        self.open_game()
        self.open_game()

    def open_game(self):
        self.open.append(len(self.escrows))
        self.model.games.append([])
        self.escrows.append(make_escrow())
        self.paid.append([])

    def do(self, act):
        what, *rest = act
        getattr(self, what)(*rest)

    def grant(self, player, mode, amount, days):
        self.model.grant(player, mode, amount, days)
        end = self.began + timedelta(days=self.model.today + days)
        money = as_money(amount, "INR")
        self.lots.append(give_bonus(self.players[player], money, mode=mode, expires_at=end))

    def join(self, pick, player, entry):
        game = self.open[pick % len(self.open)]
        self.model.join(game, player, entry)
        stake = stakes.take_stake(
            player=self.players[player],
            escrow=self.escrows[game],
            entry=as_money(entry, "INR"),
            rake_bps=0,
            key=f"model:join:{next(_numbers)}",
        )
        self.paid[game].append(stake)

    def leave(self, pick):
        if not (live := self.live_stakes()):
            return
        game, place = live[pick % len(live)]
        self.model.leave(game, place)
        key = f"model:leave:{next(_numbers)}"
        twice(lambda: stakes.return_stakes(stakes=[self.paid[game][place]], key=key))

    def lose(self, pick):
        if not (live := self.live_stakes()):
            return
        game, place = live[pick % len(live)]
        self.model.lose(game, place)
        twice(lambda: stakes.lose_stake(stake=self.paid[game][place]))

    def settle(self, pick, winner):
        if not (played := self.played()):
            return
        game = played[pick % len(played)]
        paid, escrow = self.in_escrow(game), self.escrows[game]
        # Any player of a game may win it.
        of_game = sorted({one.player for one in self.model.playing(game)})
        winner = of_game[winner % len(of_game)]
        prizes = [(self.players[winner], sum((one.entry for one in paid), Money(0, "INR")))]
        self.model.settle(game, winner)
        key = f"model:finish:{escrow.pk}"
        twice(lambda: stakes.settle_game(escrow=escrow, stakes=paid, prizes=prizes, key=key))
        self.close_game(game)

    def cancel(self, pick):
        # Shares of a pot with lost entries (RB 7.7) are tested with the stakes.
        whole = [
            game
            for game in self.played()
            if all(paid.status == "live" for paid in self.model.playing(game))
        ]
        if not whole:
            return
        game = whole[pick % len(whole)]
        paid, escrow = self.in_escrow(game), self.escrows[game]
        self.model.cancel(game)
        key = f"model:cancel:{escrow.pk}"
        twice(lambda: stakes.cancel_game(escrow=escrow, stakes=paid, key=key))
        self.close_game(game)

    def wait(self, days):
        self.model.today += days
        clocks.let_pass(days=days)

    def sweep(self):
        self.model.sweep()
        twice(bonus_expiry.expire_due_bonuses)

    def close_game(self, game):
        self.open.remove(game)
        self.open_game()

    def played(self):
        return [game for game in self.open if self.model.playing(game)]

    def live_stakes(self):
        return [
            (game, place)
            for game in self.open
            for place, paid in enumerate(self.model.games[game])
            if paid.status == "live"
        ]

    def in_escrow(self, game):
        there = zip(self.model.games[game], self.paid[game], strict=True)
        return [stake for paid, stake in there if paid.status in {"live", "lost"}]

    def compare(self):
        """Assert that lots, parts by lot and balances equal the model's."""
        lots = BonusGrant.objects.in_bulk([lot.pk for lot in self.lots])
        left = [lots[lot.pk].remaining_minor for lot in self.lots]
        assert left == [lot.left for lot in self.model.lots]
        for number, mine in enumerate(self.accounts):
            held = self.model.held(number, "spend")
            deposit = PURSE + self.model.deposit.get(number, 0)
            won = self.model.winnings.get(number, 0)
            found = balances(mine["bonus"], mine["deposit"], mine["winnings"])
            assert found == [held, deposit, won]
        assert balances(self.promotions) == [self.model.promotions]
        self.compare_parts()

    def compare_parts(self):
        number_of = {lot.pk: number for number, lot in enumerate(self.lots)}
        for game, there in enumerate(self.paid):
            for paid, stake in zip(self.model.games[game], there, strict=True):
                parts = StakePart.objects.filter(stake=stake).order_by("position")
                found = [(number_of.get(part.grant_id), part.amount_minor) for part in parts]
                assert found == [part for part in paid.parts if part[1]]


def twice(act):
    """Do it and repeat it: a repetition changes nothing."""
    act()
    act()


def compare(asked):
    books = Books()

    try:
        with transaction.atomic():
            for act in [*OPENING, *asked]:
                books.do(act)
                books.compare()
            assert row_findings() == ()
            totals = liability_totals()
            assert all(total.agrees for total in totals)
            owed = sum((total.lots for total in totals), Money(0, "INR"))
            assert owed == as_money(sum(lot.left for lot in books.model.lots), "INR")
            raise _Undo  # The next example starts from the same state.
    except _Undo:
        pass


class _Undo(Exception):
    pass


def compare_many(examples, *, repeats=False, **sizes):
    slow = [HealthCheck.too_slow, HealthCheck.data_too_large]
    many = settings(
        max_examples=examples, deadline=None, suppress_health_check=slow, derandomize=repeats
    )
    many(given(st.lists(acts, **sizes))(compare))()


@pytest.mark.django_db
@pytest.mark.usefixtures("plans_made_anew")
@pytest.mark.parametrize(
    ("examples", "steps"),
    [
        (2, (8, 20)),
        pytest.param(5, (8, 20), marks=pytest.mark.extended),
        pytest.param(400, (20, 60), marks=pytest.mark.soak),
    ],
)
def test_bonuses_do_what_their_model_does(examples, steps):
    compare_many(examples, repeats=examples == 2, min_size=steps[0], max_size=steps[1])
