"""No page, list or filter of the admin shows names of columns or numbers of rows.

The books are lived in, so that each list has rows and each page its figures.
"""

import html
import re

import pytest
from django.contrib import admin
from django.urls import reverse

from players.accounts.models import User
from tests.builders.staff.admin_pages import addresses
from tests.builders.staff.people import clerk

# It opens some hundreds of pages.
pytestmark = [
    pytest.mark.extended,
    pytest.mark.timeout(600),
    pytest.mark.django_db(transaction=True),
]

TAGS_UNSEEN = re.compile(
    r"<(script|style|template|head)\b.*?</\1>|<!--.*?-->"
    # An icon is the name of a sign in a font of signs.
    r"|<span[^>]*material-symbols-outlined[^>]*>[^<]*</span>"
    # Rules and deals in notation: their words are those of the format.
    r"|<pre\b.*?</pre>",
    re.DOTALL,
)

RAW = (
    re.compile(r"\w*_minor\b|\bminor\b", re.IGNORECASE),
    re.compile(r"\bbps\b", re.IGNORECASE),
    re.compile(r"\bPk\b"),
    re.compile(
        r"\b(?:player|table|seat of|stake|account|bonus|deposit|deal \d+ of table) \d{1,4}\b"
    ),
    # A name from the code or the database: `release_bps`, `changed_without_an_act`.
    re.compile(r"\b[a-z]+(?:_[a-z]+)+\b"),
    re.compile(r"\bMoney\(|\bobject \(\d+\)|\b(?:INR|PTS)\s-?\d+(?! %)\b|₹\s"),
)
# Names entered by users or defined outside the project.
PERMITTED = re.compile(r"\w+@\w+\.\w+|player_\d+|[\w-]*\w+=\d+[\w=-]*|setl_\d+|pay_\w+")


def words_of(page):
    """Return what a page shows to read: text, titles, labels of controls and what they suggest."""
    seen = TAGS_UNSEEN.sub(" ", page)
    attributes = re.findall(r'\b(?:title|placeholder|aria-label)="([^"]*)"', seen)
    text = re.sub(r"<[^>]+>", " \n ", seen)
    return html.unescape("\n".join([text, *attributes]))


def raw_words(page):
    text = PERMITTED.sub(" ", words_of(page))
    return {
        " ".join(text[max(0, found.start() - 25) : found.end() + 25].split())
        for pattern in RAW
        for found in pattern.finditer(text)
    }


@pytest.mark.soak
def test_no_page_of_the_admin_shows_a_name_of_a_column_or_the_number_of_a_row(client, books):
    client.force_login(clerk(is_superuser=True))
    client.raise_request_exception = False

    found, opened = {}, 0
    others = [reverse("admin:index"), reverse("admin:tables_table_live")]
    others += [reverse("player-desk", args=[player.pk]) for player in User.objects.all()[:8]]
    for model in sorted(admin.site._registry, key=lambda model: model._meta.label):
        others += addresses(client, model)
    for address in others:
        answer = client.get(address)
        assert answer.status_code < 500, address
        if answer.status_code == 200:
            opened += 1
            for words in raw_words(answer.content.decode()):
                found.setdefault(words, address)

    assert opened > 150
    assert found == {}, "\n" + "\n".join(f"{words!r}: {at}" for words, at in found.items())
