"""The end of a financial year (RB 11.4): taxed once and carried into the next year."""

from datetime import date
from io import StringIO

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from moneyed import Money

from tests.builders.processes.threads import at_once
from tests.builders.wallet.players import balances, fund, make_escrow, make_player
from tests.builders.wallet.tax_office import (
    give_back,
    lay_down,
    let_days_pass,
    let_years_pass,
    make_winner,
    win,
    withdraw,
)
from wallet.audit import freezes
from wallet.audit.audit import row_findings
from wallet.exceptions import YearNotOver
from wallet.ledger.days import site_day
from wallet.ledger.models import Transfer
from wallet.stakes import stakes
from wallet.tasks import settle_tax_year
from wallet.tax import withholding
from wallet.tax.arithmetic import financial_year, first_day
from wallet.tax.models import Withholding

pytestmark = pytest.mark.django_db


def last_year():
    return financial_year(site_day()) - 1


def settle(player):
    return withholding.settle_past_years(player=player, currency="INR")


def money_of(player):
    mine = fund(player)
    payable = withholding.payable_account(player=player, currency="INR")
    return balances(mine["deposit"], mine["winnings"], payable)


def test_the_published_year_end():
    # C 1000, B 34000, 41000 withdrawn with 6000 of it taxed, 5000 left (research, example 4).
    player = make_winner(deposit=1000)
    let_years_pass()
    fund(player, deposit=34000_00)
    win(player, 11000 + 1800 - 1800)
    for rupees in (25000, 16000):
        withdraw(player, rupees)
    let_years_pass()

    row = settle(player)[-1]

    assert (row.year, row.closing_minor, row.net_minor) == (last_year(), 5000_00, 5000_00)
    assert (row.tax_minor, row.carried_minor) == (1500_00, 3500_00)
    assert money_of(player) == [0, 3500_00, 1800_00 + 1500_00]
    assert row.transfer.key == f"tds:{row.year}:{player.pk}:INR"
    assert row.deducted_on == date(row.year + 1, 3, 31)
    assert row_findings() == ()


def test_the_first_withdrawal_of_a_year_settles_the_last_one_first():
    player = make_winner(winnings=1000)
    let_years_pass()

    withdrawal = withdraw(player, 700)

    end = Withholding.objects.get(reason="year_end")
    assert (end.tax_minor, end.carried_minor, withdrawal.tax_minor) == (300_00, 700_00, 0)
    assert withdrawal.withholding.opening_minor == 700_00
    assert row_findings() == ()


def test_unsettled_years_are_settled_oldest_first():
    player = make_winner(winnings=1000)
    let_years_pass(1)
    win(player, 1000)
    let_years_pass(2)
    win(player, 10)

    rows = settle(player)

    years = range(last_year() - 2, last_year() + 1)
    assert [row.year for row in rows] == list(years)
    # What the years before owed is not left to be taxed as winnings in the next one.
    assert [row.tax_minor for row in rows] == [300_00, 300_00, 0]
    assert rows[-1].carried_minor == 1400_00
    assert money_of(player) == [0, 1410_00, 600_00]


def test_money_in_a_game_at_midnight_is_the_players_and_taxed_when_it_can_be():
    player = make_winner(winnings=1000)
    stake = stakes.take_stake(
        player=player,
        escrow=make_escrow(),
        entry=Money(900, "INR"),
        rake_bps=0,
        key="buyin:midnight",
    )
    let_years_pass()

    [row] = settle(player)

    assert (row.closing_minor, row.in_games_minor, row.net_minor) == (1000_00, 900_00, 1000_00)
    # 100.00 is there; it pays the tax on 333.34, the rest is taxed next year.
    assert (row.taxed_minor, row.tax_minor, row.carried_minor) == (333_34, 100_00, 233_34)
    assert money_of(player) == [0, 0, 100_00]
    stakes.return_stakes(stakes=[stake], key="leave:midnight")
    assert withdraw(player, 900).tax == Money(200, "INR")


def test_withdrawal_returned_next_year_is_taxed_when_paid_again():
    deposit = 400
    player = make_winner(deposit=deposit, winnings=1000)
    withdrawal = withdraw(player, 1000 + deposit)
    let_years_pass()
    [end] = settle(player)
    assert (end.tax_minor, end.taxed_before_minor) == (0, 1000_00)

    give_back(withdrawal)

    assert money_of(player) == [deposit * 100, 1000_00, 0]
    again = withdraw(player, 1000 + deposit)
    assert again.tax == Money(300, "INR")
    assert again.withholding.opening_minor == deposit * 100
    assert row_findings() == ()


def test_player_whose_first_deposit_is_on_31_march_is_settled_for_the_year_that_ends():
    player = make_winner(deposit=500)
    end = date(last_year() + 1, 3, 31)
    let_days_pass((site_day() - end).days)

    assert withholding.players_to_settle(currency="INR", year=last_year() - 1) == []
    assert withholding.players_to_settle(currency="INR", year=last_year()) == [player.pk]
    [row] = settle(player)
    assert (row.year, row.deposited_minor, row.closing_minor) == (last_year(), 500_00, 500_00)
    assert (row.net_minor, row.tax_minor, row.carried_minor) == (0, 0, 500_00)
    assert withholding.players_to_settle(currency="INR", year=last_year()) == []
    assert row_findings() == ()


def test_withdrawal_of_1_april_that_comes_back_in_its_year_is_not_counted():
    player = make_winner(winnings=1000)
    withdrawal = withdraw(player, 1000)
    let_days_pass((site_day() - first_day(financial_year(site_day()))).days)

    give_back(withdrawal)
    again = withdraw(player, 1000)

    assert (withdrawal.tax_minor, again.tax_minor) == (300_00, 300_00)
    assert again.withholding.withdrawn_minor == 1000_00
    assert row_findings() == ()


def test_years_before_the_law_and_the_current_year_are_not_settled():
    player = make_winner(winnings=1000)
    let_years_pass(financial_year(site_day()) - 2021)
    lay_down("tds", bps=0, treatment="none", starts_on=date(2023, 4, 1))
    assert settle(player) == []
    with pytest.raises(YearNotOver):
        list(withholding.settle_year(year=last_year() + 1, currency="INR"))
    with pytest.raises(CommandError, match="ends on"):
        call_command("settle_tax_year", "--year", str(last_year() + 1))


@pytest.mark.django_db(transaction=True)
def test_command_settles_each_player_once_and_continues_after_a_refusal():
    rich, poor, frozen = make_winner(winnings=1000), make_winner(deposit=5), make_winner(winnings=9)
    let_years_pass()
    newcomer = make_winner(winnings=50)
    freezes.freeze_account(
        account=fund(frozen)["winnings"], reason="A dispute", by=make_player(is_staff=True)
    )
    said = StringIO()

    with pytest.raises(SystemExit):
        call_command("settle_tax_year", stdout=said)

    assert money_of(rich) == [0, 700_00, 300_00]
    assert money_of(poor)[0] == 5_00
    assert money_of(frozen)[1] == 9_00
    assert money_of(newcomer)[1] == 50_00
    # Those who lost to the rich and to the frozen one have a year to settle too.
    assert "4 players settled, 1 refused" in said.getvalue()
    freezes.thaw_account(
        account=fund(frozen)["winnings"], reason="Decided", by=make_player(is_staff=True)
    )
    call_command("settle_tax_year", stdout=said)
    assert "1 players settled, 0 refused" in said.getvalue()
    before = Transfer.objects.count(), Withholding.objects.count()
    call_command("settle_tax_year", stdout=said)
    assert (Transfer.objects.count(), Withholding.objects.count()) == before
    assert row_findings() == ()


@pytest.mark.django_db(transaction=True)
def test_two_workers_and_a_withdrawal_settle_one_player_once():
    player = make_winner(winnings=1000)
    let_years_pass()

    def work():
        return withholding.settle_player(player_id=player.pk, currency="INR")

    results = at_once([work, work, lambda: withdraw(player, 100, tax=0)])

    assert not [result for result in results if isinstance(result, Exception)]
    assert Withholding.objects.filter(reason="year_end", player=player).count() == 1
    assert money_of(player) == [0, 600_00, 300_00]
    assert row_findings() == ()


@pytest.mark.django_db(transaction=True)
def test_nightly_task_settles_last_year_and_a_fault_between_its_writes_nothing(monkeypatch):
    player = make_winner(winnings=1000)
    let_years_pass()
    with monkeypatch.context() as broken:
        broken.setattr(withholding, "_note", lambda *_, **__: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            withholding.settle_player(player_id=player.pk, currency="INR")
    assert money_of(player) == [0, 1000_00, 0]

    settle_tax_year()

    assert money_of(player) == [0, 700_00, 300_00]
    assert withholding.players_to_settle(currency="INR", year=last_year()) == []
