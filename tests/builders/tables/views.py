"""The cards that a view shows."""

from __future__ import annotations


def texts_in(value):
    if isinstance(value, dict):
        return [text for item in value.values() for text in texts_in(item)]
    if isinstance(value, list | tuple):
        return [text for item in value for text in texts_in(item)]
    return [value] if isinstance(value, str) else []


def cards_in(view):
    """Every card named anywhere in a view."""
    found = set()
    for text in texts_in(view):
        for word in text.replace("|", " ").replace("/", " ").split():
            if len(word) == 2 and word[0] in "A23456789TJQKP" and word[1] in "CDHSJ":
                found.add(word)
    return found


def open_cards(state):
    return {str(card) for card in (*state.pile, state.wild)}
