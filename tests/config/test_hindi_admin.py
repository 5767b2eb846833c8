"""Pages of staff in Hindi have Latin letters only in data, codes and names of standards."""

from __future__ import annotations

import re

import pytest
from django.contrib import admin
from django.db import models
from django.urls import reverse

from players.accounts.models import User
from staff.access.roles import ROLES
from tests.builders.people.hindi import in_hindi, leaks
from tests.builders.staff.people import SUPERUSER, a_person, lay_roles

# It opens some hundreds of pages.
pytestmark = [
    pytest.mark.extended,
    pytest.mark.timeout(600),
    pytest.mark.django_db(transaction=True),
]

OTHERS = ("harm", "wind-down", "cases", "setup", "reports", "staff-search")
# Of libraries, whose permissions are stored in English.
LEFT_OUT = {"auth.Group"}
# Names of formats, of programs, of settings and of programs' parts, and words of notation.
STANDARDS = re.compile(
    "Beancount|Excel|XLSX|Tally|XML|Zoho|Books|Ledger|GSTR|HSN|DOCS|GSTIN|TAN|ISO|NEFT|IMPS"
    "|UTF|LATIN|Latin|CP|DD|MM|YY|YYYY|MMM|Dr|Account|No|STATEMENT|SUMMARY|OPENING|BALANCE|KB"
    "|Redis|manage|py|FILE|PUBLIC|beat|check|deploy|HTTPS|sandbox|[Xx]id|csv|png|image"
    "|Liabilities|Players|Deposits|OS|English|en|hi|Support|Finance|Operations|Identity"
    "|CAMT|date|text|amount|debit|credit|smtp|https|celery|backup|Mac|Control|Command|none|True|False|XXX+"
    "|any|role|config|journal|settle|bots|clock|exports|messages|intake|Pool|Rummy"
)


def stored_texts() -> list[str]:
    """Return what rows of the admin's models have as text, without choices: data, not labels."""
    found: set[str] = set()
    for model in admin.site._registry:
        texts = [
            field.name
            for field in model._meta.concrete_fields
            if isinstance(field, models.CharField | models.TextField | models.UUIDField)
            and not field.choices
        ]
        for row in model._default_manager.values_list(*texts)[:2_000]:
            found.update(line for text in row for line in str(text or "").splitlines())
    return sorted((text for text in found if len(text) > 1), key=len, reverse=True)


def pages_of(role):
    """Yield one address of each kind: for roles other than the superuser's, those beside lists.

    Lists, rows and forms have no texts for one role alone.
    """
    yield reverse("admin:index")
    yield from (reverse(name) for name in OTHERS)
    yield reverse("admin:tables_table_live")
    yield reverse("player-desk", args=[User.objects.latest("pk").pk])
    if role != SUPERUSER:
        return
    for model in sorted(admin.site._registry, key=lambda model: model._meta.label):
        if model._meta.label in LEFT_OUT:
            continue
        stem = f"admin:{model._meta.app_label}_{model._meta.model_name}"
        yield reverse(f"{stem}_changelist")
        row = model._default_manager.order_by("-pk").first()
        yield from [reverse(f"{stem}_change", args=[row.pk])] if row else []
        yield reverse(f"{stem}_add")


@pytest.mark.parametrize("role", [SUPERUSER, *ROLES])
def test_hindi_pages_of_staff_have_no_english(client, books, record_property, role):
    lay_roles()
    typed = stored_texts()
    person = a_person(role)
    in_hindi(client, person)

    found, looked = {}, 0
    for address in pages_of(role):
        answer = client.get(address)
        assert answer.status_code < 500, address
        if answer.status_code == 200 and answer["Content-Type"].startswith("text/html"):
            looked += 1
            for word, beside in leaks(answer.content.decode(), typed).items():
                if not STANDARDS.fullmatch(word):
                    found.setdefault(word, (beside, address))

    record_property("pages", looked)
    assert looked >= (130 if role == SUPERUSER else 3)
    assert found == {}, f"{looked} pages\n" + "\n".join(
        f"{word!r}: {at}" for word, at in found.items()
    )
