"""Every message is translated with its placeholders, and the catalogues are compiled."""

import re

import pytest
from django.conf import settings
from django.urls import reverse

from core import translations as messages

LOCALES = [code for code, _name in settings.LANGUAGES if code != settings.LANGUAGE_CODE]
BLANK = re.compile(r"%\(\w+\)[sd]|%%")


@pytest.mark.extended
@pytest.mark.parametrize("domain", messages.DOMAINS)
@pytest.mark.parametrize("locale", LOCALES)
def test_nothing_is_untranslated_and_nothing_is_left_over(domain, locale):
    collected, catalog = messages.collect(domain, locale), messages.read(locale, domain)
    wanted = {(each.context, str(each.id)) for each in collected if each.id}
    there = {(each.context, str(each.id)) for each in catalog if each.id}

    assert wanted - there == set(), "run `make messages` and translate what it names"
    assert there - wanted == set(), "run `make messages`"
    assert [each.id for each in catalog if each.id and not messages.is_translated(each)] == []
    assert [each.id for each in catalog if each.fuzzy and each.id] == []


@pytest.mark.parametrize("domain", messages.DOMAINS)
@pytest.mark.parametrize("locale", LOCALES)
def test_translations_keep_the_placeholders(locale, domain):
    wrong, catalog = [], messages.read(locale, domain)
    assert len(catalog) > 200
    for each in catalog:
        ids = each.id if isinstance(each.id, tuple | list) else (each.id,)
        said = each.string if isinstance(each.string, tuple | list) else (each.string,)
        allowed = [sorted(BLANK.findall(text)) for text in ids]
        if ids[0] and any(sorted(BLANK.findall(text)) not in allowed for text in said):
            wrong.append(ids)

    assert wrong == []


@pytest.mark.parametrize("domain", messages.DOMAINS)
@pytest.mark.parametrize("locale", LOCALES)
def test_compiled_catalogues_are_up_to_date(locale, domain):
    compiled = messages.po_file(locale, domain).with_suffix(".mo").read_bytes()

    assert compiled == messages.compiled(messages.read(locale, domain))


@pytest.mark.django_db
def test_site_is_in_hindi_for_a_hindi_browser(client):
    page = client.get("/lobby/", headers={"Accept-Language": "hi"}).content.decode()

    assert '<html lang="hi"' in page
    assert "<h1>लॉबी</h1>" in page
    assert '<button name="language" value="en" lang="en">English</button>' in page
    words = client.get("/jsi18n/", headers={"Accept-Language": "hi"}).content.decode()
    assert '"Pure sequence": "\\u092a\\u094d\\u092f\\u094b\\u0930' in words


@pytest.mark.django_db
def test_one_click_changes_the_language_and_it_stays(client):
    client.post(reverse("look"), {"language": "hi", "next": "/rules/"})

    assert '<html lang="hi"' in client.get("/rules/").content.decode()
