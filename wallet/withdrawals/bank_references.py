"""References that a bank gives its payments, in the one form they are kept and compared in."""

from __future__ import annotations


def normal_reference(text: str) -> str:
    """Return a reference in upper case and without spaces.

    >>> normal_reference(" utr 0012ab ")
    'UTR0012AB'
    """
    return "".join(text.split()).upper()
