#!/bin/sh
# mt-940 4.30.0 counts the reversal of a credit as money in, and dates a booking a year too late.
#
# Guess before: RC (reversal of a credit) is negative as D is, RD positive; an entry date of 31 December
# beside a value date of 2 January is in the year before.
# Behaviour: only D is negative, RC is +100.00; the entry date becomes 31 December of the new year.
# Why it matters: opening balance and the amounts of such a statement do not add up to its closing
# balance, a returned payment counts twice, and a line is booked into a month that has not begun.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet mt-940==4.30.0
"$folder/venv/bin/python" - <<'PYTHON'
from importlib.metadata import version

import mt940

STATEMENT = """:20:STARTUMS
:25:00001234/0000567890
:28C:00001/001
:60F:C260101INR1000,00
:61:2601021231RC100,00NRTINONREF//A1
:86:credit taken back
:61:2601020102RD50,00NRTINONREF//A2
:86:debit taken back
:61:2601020102D10,00NTRFNONREF//A3
:86:transfer
:62F:C260102INR940,00
-
"""
lines = mt940.parse(STATEMENT)
print("mt-940", version("mt-940"))
for line in lines:
    print(line.data["status"], line.data["amount"], line.data["date"], line.data["entry_date"])
amounts = [str(line.data["amount"].amount) for line in lines]
assert amounts == ["100.00", "50.00", "-10.00"], "changed: signs"
assert str(lines[0].data["entry_date"]) == "2026-12-31", "changed: year of the entry date"
print("opening 1000.00 + lines 140.00, closing 940.00")
PYTHON
