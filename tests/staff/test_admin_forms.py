"""What the admin's forms save goes through services that ask whose game or money it is."""

import inspect
from importlib import import_module

import pytest
from django.contrib import admin
from django.contrib.auth.models import Permission

from players.look_only import LookOnly
from tests.staff.acts import boss
from tests.staff.staff_acts import CASES
from tests.staff.test_own_interest import APPS, OTHERWISE
from tests.tables.builders import make_player

pytestmark = pytest.mark.django_db
# Each form that adds or changes rows, and the services that save what it sends.
FORMS = {
    "finance.GatewayFile": ["finance.services.gateway_files.keep_file"],
    "tables.Dispute": ["tables.services.disputes.answer_dispute"],
    "tables.Drain": ["tables.services.drains.begin"],
    "tables.ReviewFlag": ["tables.services.reviews.review_pair"],
    "tables.Ruling": [
        "tables.services.rulings.cancel_game",
        "tables.services.rulings.void_deal",
    ],
    "tables.TableTemplate": ["tables.services.templates.change_template"],
    "tournaments.StaffAct": [
        "tournaments.services.managing.delay",
        "tournaments.services.managing.extend_round",
        "tournaments.services.managing.remove",
        "tournaments.services.stopping.ask_to_abort",
        "tournaments.services.stopping.cancel",
    ],
    "tournaments.TicketRefund": ["tournaments.services.tickets.request_refund"],
    "tournaments.TournamentTemplate": ["tournaments.services.opening.change_template"],
    "wallet.AccountFreeze": [
        "wallet.services.freezes.freeze_account",
        "wallet.services.freezes.thaw_account",
    ],
    "wallet.Adjustment": ["wallet.services.adjustments.request_adjustment"],
    "wallet.BonusRequest": ["wallet.services.bonus_requests.request_bonus"],
    "wallet.DepositTerm": ["wallet.services.deposit_terms.request_term"],
    "wallet.FinanceToken": ["wallet.services.finance_tokens.create_token"],
    "wallet.TaxRate": ["wallet.services.tax_rates.append_rate"],
}
# Saved by the form itself. Of a person it asks the rule first (test_own_interest.py); a role is a
# list of rights, decides about no game and no money, and is for superusers, as tested below.
DIRECT = {"auth.Group", "players.User"}


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
    # What else the admin could write: deletions, rows of other tables, cells of its list.
    assert not page.has_delete_permission(request)
    assert not page.model._meta.many_to_many
    assert not page.list_editable


def test_rows_shown_within_other_pages_are_only_looked_at():
    inlines = [inline for page in pages().values() for inline in page.inlines]

    assert inlines
    assert all(issubclass(inline, LookOnly) for inline in inlines)


def test_roles_are_for_superusers_whatever_rights_somebody_holds(request_of):
    clerk = make_player(is_staff=True)
    clerk.user_permissions.set(Permission.objects.filter(content_type__app_label="auth"))

    assert not writes(pages()["auth.Group"], request_of(clerk))
    assert writes(pages()["auth.Group"], request_of(boss()))
