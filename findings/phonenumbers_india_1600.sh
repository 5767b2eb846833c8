#!/bin/sh
# phonenumberslite 9.0.42 counts India's 1600 series, from which banks call, as valid mobile numbers.
#
# Guess before: number_type is MOBILE for Indian numbers that begin with 6 to 9 alone.
# Why it matters: a program that checks number_type accepts a bank's service number as a person's
# mobile number. Messages to it reach nobody, and matching persons by it is wrong.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet phonenumberslite==9.0.42
"$folder/venv/bin/python" - <<'PYTHON'
import phonenumbers

print("phonenumberslite", phonenumbers.__version__)
for typed in ("1600123456", "1601234567", "9876543210"):
    number = phonenumbers.parse(typed, "IN")
    kind = phonenumbers.PhoneNumberType.to_string(phonenumbers.number_type(number))
    print(typed, kind, "valid" if phonenumbers.is_valid_number(number) else "not valid")
    assert kind == "MOBILE", f"changed: {typed}"
    assert phonenumbers.is_valid_number(number), f"changed: {typed}"
PYTHON
