"""Admin forms save through services that check for conflicts of interest."""

import inspect
from importlib import import_module

import pytest
from django.contrib import admin
from django.contrib.auth.models import Permission

from core.admin.read_only import ReadOnlyAdmin
from tests.builders.staff.acts import boss
from tests.builders.staff.conflicts_of_interest import APPS, OTHERWISE
from tests.builders.staff.staff_actions import CASES
from tests.builders.tables.making import make_player

pytestmark = pytest.mark.django_db
# Each form that adds or changes rows, and the services that save what it sends.
FORMS = {
    "finance.BankStatement": ["finance.bank.actions.keep_statement"],
    "finance.GatewayFile": ["finance.reconciliation.actions.keep_file"],
    "tables.Dispute": ["tables.integrity.moderation.disputes.answer_dispute"],
    "tables.Drain": ["tables.play.drains.begin"],
    "tables.FindingDecision": ["tables.integrity.collusion.decisions.ask_decision"],
    "tables.ReviewFlag": ["tables.integrity.moderation.reviews.review_pair"],
    "tables.Ruling": [
        "tables.integrity.moderation.rulings.cancel_game",
        "tables.integrity.moderation.rulings.void_deal",
    ],
    "tables.TableTemplate": ["tables.lobby.table_templates.actions.change_template"],
    "tournaments.StaffAction": [
        "tournaments.rounds.staff_actions.delay",
        "tournaments.rounds.staff_actions.extend_round",
        "tournaments.rounds.staff_actions.remove",
        "tournaments.rounds.stopping.ask_to_abort",
        "tournaments.rounds.stopping.cancel",
    ],
    "tournaments.TicketRefund": ["tournaments.prizes.tickets.request_refund"],
    "tournaments.TournamentTemplate": ["tournaments.planning.opening.change_template"],
    "wallet.AccountFreeze": [
        "wallet.audit.account_freezes.freeze_account",
        "wallet.audit.account_freezes.thaw_account",
    ],
    "wallet.Adjustment": ["wallet.corrections.adjustments.request_adjustment"],
    "wallet.BonusRequest": ["wallet.bonuses.requests.request_bonus"],
    "players.RegionChange": ["players.eligibility.places.region_changes.request_change"],
    "wallet.DepositTerm": ["wallet.deposits.terms.request_term"],
    "finance.WebhookEndpoint": ["finance.webhooks.actions.request_endpoint"],
    "finance.FinanceToken": ["finance.tokens.actions.create_token"],
    "wallet.Registration": ["wallet.tax.rates.append"],
    "wallet.TaxForm": ["wallet.tax.rates.append"],
    "wallet.TaxRate": ["wallet.tax.rates.append"],
}
# Saved by the form itself. Of a person it asks the rule first (test_own_interest.py); a role is a
# list of rights, decides about no game and no money, and is for superusers, as tested below.
# The chart of accounts is names for exports: no game, no money.
DIRECT = {"auth.Group", "players.CannedAnswer", "players.User", "finance.ChartAccount"}


@pytest.fixture
def request_of(rf):
    def asked(player):
        request = rf.get("/")
        request.user = player
        return request

    return asked


def pages():
    return {model._meta.label: page for model, page in admin.site._registry.items()}


def writes(page, request):
    return (
        page.has_add_permission(request)
        or page.has_change_permission(request)
        or page.has_delete_permission(request)
    )


def test_every_form_of_the_admin_is_in_the_table(request_of):
    request = request_of(boss())

    found = {label for label, page in pages().items() if writes(page, request)}

    assert found == {*FORMS, *DIRECT}


@pytest.mark.extended
@pytest.mark.parametrize("label", FORMS)
def test_a_form_saves_nothing_itself(label, request_of):
    page, request = pages()[label], request_of(boss())
    save = type(page).save_model
    module = import_module(save.__module__)
    body = inspect.getsource(save)

    assert save.__module__.split(".")[0] in APPS
    assert "super()" not in body
    assert ".save(" not in body
    for service in FORMS[label]:
        assert service in {*CASES, *OTHERWISE}
        assert f"{'.'.join(service.split('.')[-2:])}" in inspect.getsource(module) or (
            f"{service.split('.')[-1]}(" in body
        )
    # Other ways to write: deletions, inline rows, editable list cells.
    assert not page.has_delete_permission(request)
    assert not page.model._meta.many_to_many
    assert not page.list_editable


def test_rows_shown_within_other_pages_are_only_looked_at():
    inlines = [inline for page in pages().values() for inline in page.inlines]

    assert inlines
    assert all(issubclass(inline, ReadOnlyAdmin) for inline in inlines)


def test_only_superusers_change_roles(request_of):
    clerk = make_player(is_staff=True)
    clerk.user_permissions.set(Permission.objects.filter(content_type__app_label="auth"))

    assert not writes(pages()["auth.Group"], request_of(clerk))
    assert writes(pages()["auth.Group"], request_of(boss()))
