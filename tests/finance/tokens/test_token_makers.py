"""A token is valid only while its maker may create tokens."""

import pytest
from django.contrib.auth.models import Group, Permission

from finance.tokens.actions import create_token, usable_token
from tests.builders.wallet.players import make_player

pytestmark = pytest.mark.django_db


@pytest.fixture
def finance():
    group = Group.objects.create(name="Bookkeepers")
    group.permissions.add(Permission.objects.get(codename="add_financetoken"))
    return group


@pytest.mark.parametrize("how", ["blocked", "demoted", "without the right"])
def test_token_ends_with_its_makers_permission(finance, how):
    maker = make_player(is_staff=True)
    maker.groups.add(finance)
    token, text = create_token(name="Tally", scopes=["journal"], created_by=maker)
    assert usable_token(text=text) == token

    if how == "without the right":
        maker.groups.clear()
    else:
        setattr(maker, {"blocked": "is_active", "demoted": "is_staff"}[how], False)
        maker.save()

    assert usable_token(text=text) is None


def test_superusers_token_ends_when_they_are_no_longer_one(finance):
    maker = make_player(is_staff=True, is_superuser=True)
    _, text = create_token(name="Tally", scopes=["journal"], created_by=maker)
    assert usable_token(text=text) is not None

    maker.is_superuser = False
    maker.save()

    assert usable_token(text=text) is None


def test_token_without_maker_stays_valid():
    token, text = create_token(name="Tally", scopes=["journal"], created_by=None)

    assert usable_token(text=text) == token
