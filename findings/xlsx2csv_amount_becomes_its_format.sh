#!/bin/sh
# xlsx2csv 0.8.6 writes an amount formatted as 1,234.50 Dr as the text of its format, without the amount.
#
# Guess before: a number stays a number whatever its format; only formats of dates change it.
# Behaviour: a "d", "s" or "y" in the quoted words of a format (" Dr", "Rs.") makes the cell a date, and
# the output is the format itself with a day in it; openpyxl and python-calamine give 1234.5.
# Why it matters: Indian bank statements and exports of bookkeeping programs mark debits and rupees by
# exactly these formats. The file is read without an error, and the amounts are gone.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet xlsx2csv==0.8.6 openpyxl==3.1.5 python-calamine==0.9.1
cd "$folder"
"$folder/venv/bin/python" - <<'PYTHON'
import csv
from importlib.metadata import version

import openpyxl
import python_calamine
from xlsx2csv import Xlsx2csv

print(*(f"{name} {version(name)}" for name in ("xlsx2csv", "openpyxl", "python-calamine")))
FORMATS = {
    '#,##0.00': "1234.50",
    '[$₹-hi-IN] #,##0.00': "1234.5",
    '#,##0.00" Cr"': None,
    '#,##0.00" Dr"': None,
    '"Rs." #,##0.00': None,
}
book = openpyxl.Workbook()
for row, number_format in enumerate(FORMATS, start=1):
    book.active.cell(row, 1, 1234.5).number_format = number_format
book.save("amounts.xlsx")
Xlsx2csv("amounts.xlsx").convert("amounts.csv")
with open("amounts.csv", newline="") as file:
    written = [row[0] for row in csv.reader(file)]
read = [row[0].value for row in openpyxl.load_workbook("amounts.xlsx").active.iter_rows()]
sheet = python_calamine.CalamineWorkbook.from_path("amounts.xlsx").get_sheet_by_index(0)
assert read == [row[0] for row in sheet.to_python()] == [1234.5] * len(FORMATS), "changed: others"
for number_format, text in zip(FORMATS, written, strict=True):
    print(f"{number_format:22} -> {text}")
for mark in ('" Dr"', '"Rs." '):
    [text] = [text for each, text in zip(FORMATS, written, strict=True) if mark in each]
    assert "1234" not in text and "#,##0.00" in text, f"changed: {mark}"
PYTHON
