#!/bin/sh
# python-calamine 0.9.1 reads each whole number of a workbook as a float, openpyxl 3.1.5 as an int.
#
# Guess before: the bank reference 123456789012 of a numeric cell comes back as an int.
# Behaviour: 123456789012.0; as text it has ".0" at its end and no longer equals the reference.
# Why it matters: references of transfers (UTR, RRN) are 12 digits and often numeric cells. Code that
# reads faster with calamine finds no payout by its reference any more.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet openpyxl==3.1.5 python-calamine==0.9.1
cd "$folder"
"$folder/venv/bin/python" - <<'PYTHON'
from importlib.metadata import version

import openpyxl
import python_calamine

print(*(f"{name} {version(name)}" for name in ("python-calamine", "openpyxl")))
book = openpyxl.Workbook()
book.active.append([123456789012, 10, 0.1])
book.save("references.xlsx")
sheet = python_calamine.CalamineWorkbook.from_path("references.xlsx").get_sheet_by_index(0)
[fast] = sheet.to_python()
slow = [cell.value for cell in openpyxl.load_workbook("references.xlsx").active[1]]
print(fast, slow)
assert [type(value) for value in fast] == [float, float, float], "changed: python-calamine"
assert str(fast[0]) == "123456789012.0", "changed: text of a reference"
assert [type(value) for value in slow] == [int, int, float], "changed: openpyxl"
PYTHON
