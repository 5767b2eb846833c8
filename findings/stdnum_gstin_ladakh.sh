#!/bin/sh
# python-stdnum 2.2 refuses every GSTIN of Ladakh (state 38) and of suppliers outside India (99...OS.).
#
# Guess before: stdnum.in_.gstin accepts each GSTIN that the GST portal gives out.
# Why it matters: a payer in Ladakh, or Google's own Indian GSTIN (9917SGP29001OST), gets the message that a
# right number is wrong; the check digit (Luhn mod 36) is the same for all of them.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet python-stdnum==2.2
"$folder/venv/bin/python" - <<'PYTHON'
import stdnum
from stdnum import luhn
from stdnum.in_ import gstin

ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"
numbers = {
    "29AABCP1234D1ZU": True,  # Karnataka
    "38AABCP1234D1ZV": False,  # Ladakh, a union territory since 2019-10-31
    "9917SGP29001OST": False,  # Google Asia Pacific, on its invoices
    "9917USA29016OS6": False,  # GoDaddy, on its invoices
    "25AABCP1234D1Z2": True,  # Daman and Diu, which gives out none since 2020
}
print("python-stdnum", stdnum.__version__)
for number, expected in numbers.items():
    assert luhn.is_valid(number, ALPHABET), number
    accepted = gstin.is_valid(number)
    print(number, "accepted" if accepted else "refused", "(its check digit is right)")
    assert accepted is expected, f"changed: {number}"
PYTHON
