#!/bin/sh
# num2words 0.5.14 writes the whole number 100000 as "one thousand rupees", and 100000.0 as one lakh.
#
# Guess before: an amount of 100000 INR is "one lakh rupees" whatever its type, in English and Hindi.
# Behaviour: with to="currency" an int counts paise and a float or Decimal rupees; from 10,000,000,000 on
# (a thousand crore) OverflowError; lang="hi" is not implemented.
# Why it matters: receipts and tax certificates in India state the amount in words. Amounts kept as whole
# rupees come out a hundred times too small, in a sentence that looks right.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet num2words==0.5.14
"$folder/venv/bin/python" - <<'PYTHON'
from decimal import Decimal
from importlib.metadata import version

from num2words import num2words

print("num2words", version("num2words"))
for amount, words in (
    (100000, "one thousand rupees, zero paise"),
    (100000.0, "one lakh rupees, zero paise"),
    (Decimal("100000"), "one lakh rupees, zero paise"),
):
    found = num2words(amount, lang="en_IN", to="currency", currency="INR")
    print(repr(amount), found)
    assert found == words, f"changed: {amount!r}"
for given, error in (({"lang": "en_IN"}, OverflowError), ({"lang": "hi"}, NotImplementedError)):
    try:
        print(num2words(10**12, **given))
    except error as raised:
        print(10**12, given["lang"], type(raised).__name__, raised)
    else:
        raise AssertionError(f"changed: {given}")
PYTHON
