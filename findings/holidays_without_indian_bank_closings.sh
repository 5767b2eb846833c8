#!/bin/sh
# holidays 0.109 knows none of the days on which Indian banks are closed as banks: 1 April, second and fourth Saturdays.
#
# Guess before: 1 April (yearly closing of accounts) is in some category of India, and a category for banks has the
# second and fourth Saturdays.
# Behaviour: India has no category for banks, no name with "bank" or "closing" in any state, and 24 of these 25 days
# of 2026 are in no list of the whole country; one Saturday is, as a festival. 1 April is a holiday in Odisha alone.
# Why it matters: "paid within two working days" computed from it promises payouts and counts cheques on 24 days of 2026
# on which no bank settles them.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet holidays==0.109
"$folder/venv/bin/python" - <<'PYTHON'
from datetime import date, timedelta
from importlib.metadata import version

import holidays

YEAR = 2026
days = [date(YEAR, 1, 1) + timedelta(days=number) for number in range(365)]
saturdays = [day for day in days if day.weekday() == 5 and (day.day - 1) // 7 in (1, 3)]
categories = holidays.India.supported_categories
print("holidays", version("holidays"), categories)
country, names = set(), set()
for state in (None, *holidays.India.subdivisions):
    for category in categories:
        listed = holidays.India(years=YEAR, subdiv=state, categories=category)
        names |= set(listed.values())
        country |= set(listed) if state is None else set()
of_banks = [name for name in names if "bank" in name.lower() or "closing" in name.lower()]
closed = [date(YEAR, 4, 1), *saturdays]
known = [day for day in closed if day in country]
print(f"{len(country)} days of the country, {len(names)} names, of banks: {of_banks}")
print(f"{len(closed)} closings of banks, known: {[str(day) for day in known]}")
assert "bank" not in categories and not of_banks, "changed: closings of banks"
assert date(YEAR, 4, 1) not in country, "changed: 1 April"
assert len(saturdays) == 24 and len(known) < 8, "changed: Saturdays"
PYTHON
