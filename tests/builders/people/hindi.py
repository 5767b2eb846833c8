"""The words of a page that are not in Hindi."""

from __future__ import annotations

import html
import re

from django.conf import settings as site_settings

from players.accounts.models import User
from tables.models.tables import Table
from tables.models.templates import RuleProfile
from tournaments.planning.models import Tournament
from tournaments.planning.template_models import TournamentTemplate

UNSEEN = re.compile(
    r"<(script|style|template|head|pre|code|kbd|option)\b.*?</\1>|<!--.*?-->"
    r'|<(\w+)[^>]*\blang="en"[^>]*>.*?</\2>'
    # An icon is the name of a sign in a font of signs.
    r"|<span[^>]*material-symbols-outlined[^>]*>[^<]*</span>",
    re.DOTALL,
)
# A value in quotes may have a sign `>` of its own.
TAG = re.compile(r"""<(?:[^<>"']|"[^"]*"|'[^']*')+>""")
SHOWN_ATTRIBUTES = re.compile(r'\b(?:title|placeholder|aria-label|alt|data-label)="([^"]*)"')
WORD = re.compile(r"[A-Za-z][A-Za-z'-]*[A-Za-z]")
# Names of settings and in code, files, addresses, ids, cards in notation, and zones of time under
# their names in the world's register.
CODES = re.compile(
    r"\b[A-Z]+(?:_[A-Z]+)+\b|\b[a-z]+(?:[._][a-z]+)+\b|\S+\.(?:py|md|csv)\b|\S+\+tls:\S+"
    r"|\S*@\S+|https?://\S+|\b[0-9a-f-]{12,}\b|\b\w*\d\w*\b|\b(?:[TJQKA][SHDC]|PJ)\b|Asia/Kolkata"
)
PERMITTED = {
    # Names of people, of companies and of languages of programs.
    *("Asha", "Rao", "HDFC", "Razorpay", "Sandbox", "WhatsApp", "Python", "JavaScript"),
    # Keys, as they are labelled on keyboards.
    *("Home", "End"),
    # Codes and units, as they stand in law, at banks and on cards.
    *("GST", "TDS", "IFSC", "UPI", "UTR", "PTS", "INR", "UTC", "IST", "CSV", "JPEG", "MB", "PDF"),
    *("PNG", "QR", "API", "SHA", "JSON", "PAN", "ID", "AES", "HMAC"),
}


def shown(page):
    body = UNSEEN.sub(" ", UNSEEN.sub(" ", page))
    attributes = SHOWN_ATTRIBUTES.findall(body)
    return html.unescape(" ".join([TAG.sub(" | ", body), *attributes]))


def names():
    """Return what people typed: names of players, tables and tournaments."""
    typed = set(User.objects.values_list("handle", flat=True))
    typed |= set(Table.objects.values_list("name", flat=True))
    typed |= set(Tournament.objects.values_list("name", flat=True))
    typed |= set(TournamentTemplate.objects.values_list("name", flat=True))
    typed |= set(RuleProfile.objects.values_list("name", flat=True))
    typed |= {"It was too fast.", "Not now", "Power cut", "Asked", "Pool Rummy"}
    return sorted(typed, key=len, reverse=True)


def without(texts, page):
    """Return what a page shows, without these texts, the longest first."""
    text = shown(page)
    # Most are not on the page; a pattern of thousands of alternatives takes seconds for each.
    lowered = text.lower()
    present = "|".join(re.escape(each) for each in texts if each.lower() in lowered)
    found = rf"(?<!\w)(?:{present})(?!\w)"
    return re.sub(found, " ", text, flags=re.IGNORECASE) if present else text


def leaks(page, typed):
    """Return the words of a page in Latin letters, each with what is beside it.

    Without `typed`: the texts that people entered.
    """
    text = " ".join(CODES.sub(" ", without(typed, page)).split())
    found = (found for found in WORD.finditer(text) if found[0] not in PERMITTED)
    return {each[0]: text[max(0, each.start() - 30) : each.end() + 30] for each in found}


def leaks_of(pages):
    """Return the words in Latin letters of answers by address, each with what is beside it."""
    typed, found = names(), {}
    for address, answer in pages.items():
        if answer.status_code < 300 and answer["Content-Type"].startswith("text/html"):
            for word, beside in leaks(answer.content.decode(), typed).items():
                found.setdefault(word, (beside, address))
    return found


def in_hindi(client, person):
    person.language = "hi"
    person.save(update_fields=["language"])
    client.force_login(person)
    client.cookies.load({site_settings.LANGUAGE_COOKIE_NAME: "hi"})
    client.raise_request_exception = False
