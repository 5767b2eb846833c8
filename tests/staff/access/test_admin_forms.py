"""Admin forms save through services that check for conflicts of interest."""

import inspect
from importlib import import_module

import pytest
from django.contrib import admin
from django.contrib.auth.models import Permission

from core.admin.edit_pages import ServiceAdmin
from core.admin.read_only import ReadOnlyInline
from tests.builders.staff.acts import boss
from tests.builders.staff.admin_actions import FORMS, SAVED_BY
from tests.builders.staff.conflicts_of_interest import APPS, OTHERWISE
from tests.builders.staff.staff_actions import CASES
from tests.builders.tables.making import make_player

pytestmark = pytest.mark.django_db


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

    assert found == set(FORMS)


@pytest.mark.extended
@pytest.mark.parametrize("label", SAVED_BY)
def test_a_form_saves_nothing_itself(label, request_of):
    page, request = pages()[label], request_of(boss())
    save = type(page).save_by_action
    if save is ServiceAdmin.save_by_action:
        save = type(page).save_model
    module = import_module(save.__module__)
    body = inspect.getsource(save)

    assert save.__module__.split(".")[0] in APPS
    assert "super()" not in body
    assert ".save(" not in body
    for service in SAVED_BY[label]:
        assert service in {*CASES, *OTHERWISE}
        assert f"{'.'.join(service.split('.')[-2:])}" in inspect.getsource(module) or (
            f"{service.split('.')[-1]}(" in body
        )
    # Other ways to write: deletions, inline rows, editable list cells.
    assert not page.has_delete_permission(request)
    assert not page.model._meta.many_to_many
    assert not page.list_editable


def test_inline_rows_in_the_admin_are_read_only():
    inlines = [inline for page in pages().values() for inline in page.inlines]

    assert inlines
    assert all(issubclass(inline, ReadOnlyInline) for inline in inlines)


def test_only_superusers_change_roles(request_of):
    clerk = make_player(is_staff=True)
    clerk.user_permissions.set(Permission.objects.filter(content_type__app_label="auth"))

    assert not writes(pages()["auth.Group"], request_of(clerk))
    assert writes(pages()["auth.Group"], request_of(boss()))
