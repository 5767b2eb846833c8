"""Read-only admin of closes and exports."""

import pytest
from django.urls import reverse

from finance.closing import actions as closing
from finance.reports.frame.models import DailyClose, DailyTotal
from tests.builders.books.full_books import a_day_passes
from tests.builders.wallet.players import fund, make_player

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def staff(client):
    client.force_login(make_player(is_staff=True, is_superuser=True))
    return client


def page(model, what="changelist", *args):
    return reverse(f"admin:finance_{model._meta.model_name}_{what}", args=args)


def test_a_close_is_shown_with_its_totals(staff):
    fund(make_player(), deposit=123_45)
    a_day_passes()
    [close] = closing.close_days()

    assert close.control_hash in staff.get(page(DailyClose)).content.decode()
    shown = staff.get(page(DailyClose, "change", close.pk)).content.decode()
    assert shown.count("123.45") >= DailyTotal.objects.count() == 2
    assert staff.post(page(DailyClose, "change", close.pk), {"games": 7}).status_code == 403
