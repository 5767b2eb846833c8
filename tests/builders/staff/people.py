"""Members of staff with the roles of the house."""

from __future__ import annotations

from typing import Any

from django.apps import apps
from django.contrib.auth.models import Group, Permission
from django.db import transaction

from players.accounts.models import User
from staff.access.roles import ROLES, make_roles
from tests.builders.wallet.players import create_user, make_player
from tests.builders.wallet.tax_office import unguarded

# Whom the matrix asks for: the roles, one who has none, and a superuser.
NOBODY, SUPERUSER = "nobody", "superuser"


def lay_roles() -> None:
    """Make the roles as migrations lay them, where a test before has emptied the tables."""
    with unguarded(adopts=["auth_group_permissions"]):
        make_roles(apps)


def a_person(role: str) -> User:
    with transaction.atomic():  # Rights come with an entry in the log.
        person = make_player(is_staff=True, is_superuser=role == SUPERUSER)
        if role in ROLES:
            make_roles(apps)
            person.groups.add(Group.objects.get(name=role))
    return person


def hire(role: str, **fields: Any) -> User:
    """Make a member of staff with this role; the log of staff acts has the rights."""
    with transaction.atomic():
        person = create_user(is_staff=True, **fields)
        person.groups.add(Group.objects.get(name=role))
    return person


def clerk(**fields):
    return make_player(is_staff=True, **fields)


def clerk_who_may(*codenames: str) -> User:
    """Return a member of staff who has these permissions alone."""
    person = clerk()
    person.user_permissions.add(*Permission.objects.filter(codename__in=codenames))
    return person
