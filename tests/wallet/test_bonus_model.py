"""Whatever is done with bonuses, the database does what a plain Python model does (RB 11.1)."""

from datetime import timedelta
from itertools import count
from unittest.mock import patch

import pytest
from django.db import transaction
from django.utils import timezone
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from moneyed import Money

from tests.wallet.bonus_oracle import BonusOracle
from tests.wallet.builders import balances, fund, give_bonus, make_escrow, make_player
from wallet.bonus_liability import liability_totals
from wallet.models import Account, BonusGrant, StakePart
from wallet.money import as_money
from wallet.services import accounts, bonus_expiry, stakes
from wallet.services.audit import audit

_numbers = count(1)
PLAYERS, GAMES = 2, 3
PURSE = 10**12
NOON = timezone.now()  # Before the patch below: the model's days are counted from here.


class Bonuses(RuleBasedStateMachine):
    """Two players, three games at a time, lots of both modes, and a clock that only goes on."""

    @initialize()
    def open_the_books(self):
        self.model = BonusOracle()
        self.clock = patch("django.utils.timezone.now", lambda: NOON + timedelta(days=self.today))
        self.clock.start()
        self.players = [make_player() for _ in range(PLAYERS)]
        self.accounts = [fund(player, deposit=PURSE) for player in self.players]
        self.promotions = accounts.house_account(kind=Account.Kind.PROMOTIONS, currency="INR")
        [self.promotions_before] = balances(self.promotions)
        self.lots, self.escrows, self.paid = [], [], []
        for _ in range(GAMES):
            self.new_game()

    @property
    def today(self):
        return self.model.today

    def new_game(self):
        self.model.games.append([])
        self.escrows.append(make_escrow())
        self.paid.append([])

    def pick_game(self, data):
        """Return a game somebody plays, by its number."""
        played = [game for game in self.open_games if self.model.playing(game)]
        return data.draw(st.sampled_from(played))

    @property
    def open_games(self):
        return range(len(self.escrows) - GAMES, len(self.escrows))

    def somebody_plays(self):
        return any(self.model.playing(game) for game in self.open_games)

    @rule(
        player=st.integers(0, PLAYERS - 1),
        mode=st.sampled_from(["spend", "release"]),
        amount=st.integers(1, 3_000),
        days=st.integers(1, 9),
    )
    def grant(self, player, mode, amount, days):
        self.lots.append(
            give_bonus(
                self.players[player],
                as_money(amount, "INR"),
                mode=mode,
                expires_at=timezone.now() + timedelta(days=days),
            )
        )
        self.model.grant(player, mode, amount, days)

    @rule(
        player=st.integers(0, PLAYERS - 1), game=st.integers(1, GAMES), entry=st.integers(1, 9_999)
    )
    def join(self, player, game, entry):
        game = self.open_games[-game]
        self.paid[game].append(
            stakes.take_stake(
                player=self.players[player],
                escrow=self.escrows[game],
                entry=as_money(entry, "INR"),
                rake_bps=0,
                key=f"model:join:{next(_numbers)}",
            )
        )
        self.model.join(game, player, entry)

    @precondition(somebody_plays)
    @rule(data=st.data())
    def leave(self, data):
        game = self.pick_game(data)
        live = [n for n, paid in enumerate(self.model.games[game]) if paid.status == "live"]
        if live:
            place = data.draw(st.sampled_from(live))
            key = f"model:leave:{next(_numbers)}"
            for _ in range(2):  # The second call is a repetition.
                stakes.return_stakes(stakes=[self.paid[game][place]], key=key)
            self.model.leave(game, place)

    @precondition(somebody_plays)
    @rule(data=st.data())
    def lose(self, data):
        game = self.pick_game(data)
        live = [n for n, paid in enumerate(self.model.games[game]) if paid.status == "live"]
        if live:
            place = data.draw(st.sampled_from(live))
            stakes.lose_stake(stake=self.paid[game][place])
            self.model.lose(game, place)

    def in_escrow(self, game):
        there = zip(self.model.games[game], self.paid[game], strict=True)
        return [stake for paid, stake in there if paid.status in {"live", "lost"}]

    @precondition(somebody_plays)
    @rule(data=st.data(), winner=st.integers(0, PLAYERS - 1))
    def settle(self, data, winner):
        game = self.pick_game(data)
        paid = self.in_escrow(game)
        pot = as_money(sum(stake.entry_minor for stake in paid), "INR")
        prizes = [(self.players[winner], pot)]
        for _ in range(2):
            stakes.settle_game(
                escrow=self.escrows[game],
                stakes=paid,
                prizes=prizes,
                key=f"model:finish:{game}" + f":{self.escrows[game].pk}",
            )
        self.model.settle(game, winner)
        self.new_game_instead(game)

    @precondition(somebody_plays)
    @rule(data=st.data())
    def cancel(self, data):
        game = self.pick_game(data)
        if any(paid.status == "lost" for paid in self.model.playing(game)):
            return  # Whose share is what is RB 7.7's, and tested with the stakes.
        key = f"model:cancel:{self.escrows[game].pk}"
        paid = self.in_escrow(game)
        for _ in range(2):
            stakes.cancel_game(escrow=self.escrows[game], stakes=paid, key=key)
        self.model.cancel(game)
        self.new_game_instead(game)

    def new_game_instead(self, game):
        """Open another in the place of one that is over, so that three are always open."""
        last = len(self.escrows) - GAMES
        for rows in (self.model.games, self.escrows, self.paid):
            rows[game], rows[last] = rows[last], rows[game]
        self.new_game()

    @rule(days=st.integers(1, 5))
    def wait(self, days):
        self.model.today += days

    @rule()
    def sweep(self):
        bonus_expiry.expire_due_bonuses()
        self.model.sweep()

    @invariant()
    def lots_parts_and_balances_are_the_model_s(self):
        if not hasattr(self, "lots"):
            return
        left = BonusGrant.objects.in_bulk([lot.pk for lot in self.lots])
        assert [left[lot.pk].remaining_minor for lot in self.lots] == [
            lot.left for lot in self.model.lots
        ]
        for number, mine in enumerate(self.accounts):
            spent = self.model.deposit.get(number, 0)
            won = self.model.winnings.get(number, 0)
            held = self.model.held(number, "spend")
            kinds = (mine["bonus"], mine["deposit"], mine["winnings"])
            assert balances(*kinds) == [held, PURSE + spent, won]
        assert balances(self.promotions) == [self.promotions_before + self.model.promotions]

    @invariant()
    def each_part_names_the_lot_it_is_of(self):
        if not hasattr(self, "lots"):
            return
        number_of = {lot.pk: number for number, lot in enumerate(self.lots)}
        stakes_of = {stake.pk: paid for paid, stake in self.rows()}
        parts = {pk: [] for pk in stakes_of}
        for part in StakePart.objects.filter(stake__in=list(parts)).order_by("position"):
            parts[part.stake_id].append((number_of.get(part.grant_id), part.amount_minor))
        for pk, paid in stakes_of.items():
            assert parts[pk] == [part for part in paid.parts if part[1]]

    def rows(self):
        for game, stakes_there in enumerate(self.paid):
            yield from zip(self.model.games[game], stakes_there, strict=True)

    def teardown(self):
        if not hasattr(self, "clock"):
            return
        self.clock.stop()
        assert audit().findings == ()
        assert all(total.agrees for total in liability_totals())
        sums = sum((total.lots for total in liability_totals()), Money(0, "INR"))
        assert sums == as_money(sum(lot.left for lot in self.model.lots), "INR")


def play_the_model(**amounts):
    slow = [HealthCheck.too_slow, HealthCheck.filter_too_much, HealthCheck.data_too_large]
    chosen = settings(deadline=None, suppress_health_check=slow, **amounts)

    class Fresh(Bonuses):
        """Each example in a database transaction of its own, undone at its end."""

        def __init__(self):
            super().__init__()
            self.books = transaction.atomic()
            self.books.__enter__()

        def teardown(self):
            try:
                super().teardown()
            finally:
                transaction.set_rollback(True)
                self.books.__exit__(None, None, None)

    Fresh.TestCase.settings = chosen
    Fresh.TestCase().runTest()


@pytest.mark.django_db
def test_bonuses_do_what_their_model_does():
    play_the_model(max_examples=25, stateful_step_count=25)


@pytest.mark.soak
@pytest.mark.django_db
def test_bonuses_do_what_their_model_does_at_length():
    play_the_model(max_examples=400, stateful_step_count=60)
