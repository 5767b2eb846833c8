"""A token, made as a person makes one: by the site's own pages."""

from __future__ import annotations

import re

import requests


def made_token(url: str, email: str, password: str) -> str:
    """Sign in, make a token that may see and play, and return its text."""
    with requests.Session() as person:
        login, tokens = f"{url}/accounts/login/", f"{url}/account/tokens/"
        person.get(login, timeout=30)
        _send(person, login, login=email, password=password)
        # A token is made within ten minutes of the password.
        _send(person, f"{url}/accounts/reauthenticate/", password=password)
        made = _send(person, tokens, name="A bot", scopes=["read", "play"])
    [text] = re.findall(r"rummy_[\w-]{40,}", made)
    return text


def _send(person: requests.Session, page: str, **fields: str | list[str]) -> str:
    form = {"csrfmiddlewaretoken": person.cookies["csrftoken"], **fields}
    answer = person.post(page, form, headers={"Referer": page}, timeout=30)
    answer.raise_for_status()
    return answer.text
