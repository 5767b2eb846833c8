"""Permissions of each role on each admin page and each finance report."""

from __future__ import annotations

from importlib import import_module
from uuid import uuid4

import pytest
from allauth.usersessions.models import UserSession
from django.apps import apps
from django.contrib import admin
from django.contrib.auth.models import Group, Permission
from django.contrib.messages.storage.cookie import CookieStorage
from django.core.exceptions import PermissionDenied
from django.urls import resolve, reverse

from core.admin.audited_forms import AuditedAdmin
from core.audit_log import SECRETS
from finance.reports.catalogue import REPORTS
from finance.urls import api_urlpatterns
from staff.access.roles import ROLES
from tests.builders.books.tokens import valid_token
from tests.builders.people.sessions import proof_of
from tests.builders.staff.admin_actions import ACTIONS, ACTORS, FORMS, SAVED_BY
from tests.builders.staff.people import NO_ROLE, SUPERUSER, a_person
from tests.builders.wallet.players import make_player

pytestmark = pytest.mark.django_db
PAGES = sorted(admin.site._registry, key=lambda model: model._meta.label)
# Staff pages and their permissions.
DESKS = {
    "cases": "players.view_case",
    "admin:tables_table_live": "tables.view_table",
    "player-desk": "players.view_user",
}


@pytest.fixture(params=[*ROLES, NO_ROLE, SUPERUSER])
def role(request):
    return request.param


@pytest.fixture
def ask(rf, role):
    """Request a page as this role without rendering it; permissions are checked before."""
    person = a_person(role)

    def get(url: str) -> int:
        request = rf.get(url)
        request.user, request.session = person, proof_of(person.pk)
        request._messages = CookieStorage(request)
        view = resolve(request.path)
        try:
            return view.func(request, *view.args, **view.kwargs).status_code
        except PermissionDenied:
            return 403

    return get


def url_of(model, what: str) -> str:
    return reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_{what}")


def holds(role: str, permission: str) -> bool:
    return role == SUPERUSER or permission in ROLES.get(role, ())


def permitted_forms(role: str, place: int) -> set[str]:
    """Return the models whose rows a role may add (place 0) or change (place 1)."""
    allowed = {label: roles[place] for label, roles in FORMS.items()}
    return {label for label, by in allowed.items() if by is not None and role in {SUPERUSER, *by}}


def may(role: str, act: str, model) -> bool:
    return holds(role, f"{model._meta.app_label}.{act}_{model._meta.model_name}")


@pytest.mark.extended
def test_every_list_opens_to_the_roles_that_look_at_it(ask, role):
    seen = {model._meta.label for model in PAGES if ask(url_of(model, "changelist")) == 200}

    looks = {model._meta.label for model in PAGES if may(role, "view", model)}
    # Permission to change rows includes viewing their list.
    changes = {model._meta.label for model in PAGES if may(role, "change", model)}
    assert changes <= looks
    assert seen == looks


def test_add_forms_open_only_to_permitted_roles(ask, role):
    opened = {model._meta.label for model in PAGES if ask(url_of(model, "add")) == 200}

    assert opened == permitted_forms(role, 0)


@pytest.mark.extended
def test_staff_pages_open_only_to_permitted_roles(ask, role):
    player = make_player()
    for name, permission in DESKS.items():
        arguments = [player.pk] if name == "player-desk" else []
        expected = 200 if holds(role, permission) else 403
        assert ask(reverse(name, args=arguments)) == expected, name
    assert ask(reverse("admin:index")) == 200


def test_change_and_delete_permissions_match_the_roles(rf, role):
    request = rf.get("/")
    request.user = a_person(role)

    def permitted(act):
        return {
            model._meta.label
            for model in PAGES
            if getattr(admin.site._registry[model], f"has_{act}_permission")(request)
        }

    assert permitted("change") == permitted_forms(role, 1)
    assert permitted("delete") == ({"auth.Group"} if role == SUPERUSER else set())


def test_a_form_without_a_service_writes_an_audit_entry():
    audited = {
        model._meta.label
        for model in PAGES
        if isinstance(admin.site._registry[model], AuditedAdmin)
    }

    assert len(audited) >= 4
    assert audited == set(FORMS) - set(SAVED_BY)


def test_admin_actions_are_offered_only_to_permitted_roles(rf, role):
    request = rf.get("/")
    request.user, request.GET = a_person(role), request.GET
    offered = {
        (model._meta.label, name)
        for model in PAGES
        for name in admin.site._registry[model].get_actions(request)
        if name != "export_csv"  # Of every list, for whom it opens to.
    }

    expected = {act for act in ACTIONS if role in {SUPERUSER, *ACTORS[act[0]]}}
    assert len(ACTIONS) > 50
    assert offered == expected


def test_no_role_deletes_and_none_gives_rights(role):
    person = a_person(role)
    if role == SUPERUSER:
        return

    given = {one for one in person.get_all_permissions() if ".delete_" in one}
    assert given == set()
    assert not person.has_perm("auth.change_group")
    assert person.get_all_permissions() == set(ROLES.get(role, ()))


def test_admin_lists_cannot_be_filtered_by_secrets(client):
    victim, support = make_player(is_staff=True, is_superuser=True), a_person("Support")
    key = "k" * 32
    UserSession.objects.create(user=victim, ip="127.0.0.1", session_key=key)
    client.force_login(support)
    sessions = url_of(UserSession, "changelist")

    answers = {
        client.get(sessions, {f"session_key__{how}": key}).status_code
        for how in ("exact", "startswith", "gte", "regex")
    }

    assert answers == {400}
    assert client.get(sessions, {"q": victim.handle}).status_code == 200
    for model in PAGES:
        secret = {field.name for field in model._meta.concrete_fields} & SECRETS
        allowed = admin.site._registry[model].lookup_allowed
        shown = {name for name in secret if allowed(f"{name}__startswith", "a", None)}
        assert shown == set(), model


def test_every_permission_of_the_roles_exists():
    there = {
        f"{app}.{codename}"
        for app, codename in Permission.objects.values_list("content_type__app_label", "codename")
    }

    for name, wanted in ROLES.items():
        assert set(wanted) - there == set(), name
        assert len(wanted) == len(set(wanted)), name


def test_role_migration_is_idempotent():
    Group.objects.all().delete()
    migration = import_module("staff.migrations.0001_roles")

    for _ in range(2):
        migration.migrate_roles(apps, None)
        held = {group.name: group.permissions.count() for group in Group.objects.order_by("name")}
        assert held == {name: len(wanted) for name, wanted in sorted(ROLES.items())}


@pytest.mark.parametrize("report", REPORTS, ids=lambda report: report.name)
def test_report_requires_its_own_scope(client, report):
    others = [one.name for one in REPORTS if one != report]
    url = reverse(f"finance-{report.name}")
    own, foreign = valid_token(report.name), valid_token(*others)
    # There is no gateway file here, so permitted roles get an error about it.
    asked = {"to": "2026-01-31"} | ({"file": "0" * 64} if report.wants_file else {})

    def status(**headers):
        return client.get(url, asked, headers=headers).status_code

    assert status(authorization=f"Bearer {own}") == (404 if report.wants_file else 200)
    assert status(authorization=f"Bearer {foreign}") == 403
    assert status() == 401


@pytest.mark.extended
def test_finance_api_accepts_only_tokens(client):
    people = {one: a_person(one) for one in (*ROLES, SUPERUSER)}
    for pattern in api_urlpatterns:
        given = [uuid4() for _ in pattern.pattern.converters]
        _refuses_sessions(client, people, reverse(pattern.name, args=given))


def _refuses_sessions(client, people, url):
    for name, person in people.items():
        client.force_login(person)
        assert client.get(url).status_code == 401, (url, name)
    assert client.post(url).status_code in {401, 405}
