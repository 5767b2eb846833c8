#!/bin/sh
# npm ifsc 2.0.50 lists banks that no longer exist, with one branch each, and names no successor.
#
# Guess before: a bank whose IFSCs were withdrawn (Andhra Bank on 2021-04-01) is gone from the list, or
# marked with the bank that its accounts are at now.
# Why it matters: a payout to ANDB..., SYNB... or ALLA... comes back; a list of bank codes alone does not
# tell them from banks that are there, and State Bank's former associates are missing altogether.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm pack --silent ifsc@2.0.50 >/dev/null
tar xzf ifsc-2.0.50.tgz
python3 - <<'PYTHON'
import json
from pathlib import Path

source = Path("package/src")
branches = json.loads((source / "IFSC.json").read_text())
banks = json.loads((source / "banks.json").read_text())
names = json.loads((source / "banknames.json").read_text())
print("ifsc", json.loads(Path("package/package.json").read_text())["version"])
merged = ["ALLA", "ANDB", "BKDN", "CORP", "LAVB", "ORBC", "SYNB", "UTBI", "VIJB"]
for code in merged:
    print(code, names[code], len(branches[code]), "branch", sorted(banks[code]))
    assert len(branches[code]) == 1, f"changed: {code}"
    assert not {"merged_into", "successor"} & set(banks[code]), f"changed: {code}"
for code in ("SBBJ", "SBHY", "SBMY", "SBTR", "STBP"):
    print(code, names[code], "no branch")
    assert code not in branches, f"changed: {code}"
PYTHON
