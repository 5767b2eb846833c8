"""Every word of the site is there in every language, with its blanks, and compiled."""

import re

import pytest
from django.conf import settings
from django.core import mail
from django.urls import reverse
from django.utils import timezone

from core import translations as messages
from players.notifications import actions as notifications
from players.notifications import steps
from players.notifications.models import Notification
from tests.builders.people.accounts import make_player

LOCALES = [code for code, _name in settings.LANGUAGES if code != settings.LANGUAGE_CODE]
BLANK = re.compile(r"%\(\w+\)[sd]|%%")


@pytest.fixture(scope="module", params=messages.DOMAINS)
def collected(request):
    return messages.collect(request.param)


@pytest.mark.extended
@pytest.mark.parametrize("locale", LOCALES)
def test_nothing_is_untranslated_and_nothing_is_left_over(collected, locale):
    catalog = messages.read(locale, collected.domain)
    wanted = {(each.context, str(each.id)) for each in collected if each.id}
    there = {(each.context, str(each.id)) for each in catalog if each.id}

    assert wanted - there == set(), "run `make messages` and translate what it names"
    assert there - wanted == set(), "run `make messages`"
    assert [each.id for each in catalog if each.id and not messages.is_translated(each)] == []
    assert [each.id for each in catalog if each.fuzzy and each.id] == []


@pytest.mark.parametrize("domain", messages.DOMAINS)
@pytest.mark.parametrize("locale", LOCALES)
def test_translations_keep_the_blanks(locale, domain):
    wrong = []
    for each in messages.read(locale, domain):
        ids = each.id if isinstance(each.id, tuple | list) else (each.id,)
        said = each.string if isinstance(each.string, tuple | list) else (each.string,)
        allowed = [sorted(BLANK.findall(text)) for text in ids]
        if ids[0] and any(sorted(BLANK.findall(text)) not in allowed for text in said):
            wrong.append(ids)

    assert wrong == []


@pytest.mark.parametrize("domain", messages.DOMAINS)
@pytest.mark.parametrize("locale", LOCALES)
def test_what_is_compiled_is_what_is_written(locale, domain):
    compiled = messages.po_file(locale, domain).with_suffix(".mo").read_bytes()

    assert compiled == messages.compiled(messages.read(locale, domain))


@pytest.mark.django_db
def test_the_site_speaks_hindi_to_whoever_asks_for_it(client):
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


@pytest.mark.django_db
def test_mail_is_written_in_the_language_of_its_reader():
    asha = make_player(language="hi")
    steps.notify(
        [steps.Recipient(asha, "270 PTS")],
        kind=Notification.Kind.TOURNAMENT_PRIZE,
        key="prize:1",
        subject="Evening Cup",
        now=timezone.now(),
    )

    notifications.mail_due(now=timezone.now())

    (message,) = mail.outbox
    assert message.subject == "पूल रमी: टूर्नामेंट के इनाम"
    assert "आपने Evening Cup में 270 PTS जीते।" in message.body
