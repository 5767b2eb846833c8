"""Members of staff with the default roles."""

from __future__ import annotations

from typing import Any

from django.apps import apps
from django.contrib.auth.models import Group, Permission
from django.db import transaction

from players.accounts.models import User
from staff.access.roles import ROLES, make_roles
from tests.builders.wallet.players import create_user, make_player
from tests.builders.wallet.tax_office import unguarded

# Besides the roles: staff without a role, and a superuser.
NO_ROLE, SUPERUSER = "no role", "superuser"


def lay_roles() -> None:
    """Create the roles as the migration does, if an earlier test has emptied the tables."""
    with unguarded(adopts=["auth_group_permissions"]):
        make_roles(apps)


def a_person(role: str) -> User:
    with transaction.atomic():  # Permissions need an audit entry in the same transaction.
        person = make_player(is_staff=True, is_superuser=role == SUPERUSER)
        if role in ROLES:
            make_roles(apps)
            person.groups.add(Group.objects.get(name=role))
    return person


def hire(role: str, **fields: Any) -> User:
    """Create a member of staff with this role; the audit log records the permissions."""
    with transaction.atomic():
        person = create_user(is_staff=True, **fields)
        person.groups.add(Group.objects.get(name=role))
    return person


def clerk(**fields):
    return make_player(is_staff=True, **fields)


def promote(person: User) -> None:
    """Make a player a superuser."""
    person.is_staff = person.is_superuser = True
    person.save()


def clerk_who_may(*codenames: str) -> User:
    """Return a member of staff with only these permissions."""
    person = clerk()
    person.user_permissions.add(*Permission.objects.filter(codename__in=codenames))
    return person
