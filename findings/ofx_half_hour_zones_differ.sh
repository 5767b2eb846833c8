#!/bin/sh
# ofxtools 1.1.1 and ofxparse 0.21 read a payment's Indian time 12 or 20 minutes apart, whatever the notation.
#
# Guess before: a transaction dated [+5.5:IST] is the same instant in both, 18:30 UTC of the day before.
# Behaviour: ofxtools refuses [+5.5:IST] and reads the fraction as minutes: [+5.50:IST] is 5 h 50 min. ofxparse reads
# it as a decimal fraction: [+5.30:IST] is 5 h 18 min. It ignores [+5:30:IST], and its times are UTC without a zone.
# Why it matters: no way to write 5 h 30 min gives the right time in both; with ofxparse a payment of 1 April 00:00
# in India is dated 31 March, which is in the financial year before.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet ofxtools==1.1.1 ofxparse==0.21
"$folder/venv/bin/python" - <<'PYTHON'
import io
from importlib.metadata import version

from ofxparse import OfxParser
from ofxtools.Types import DateTime, OFXSpecError

FILE = """OFXHEADER:100
DATA:OFXSGML
VERSION:102
SECURITY:NONE
ENCODING:USASCII
CHARSET:1252
COMPRESSION:NONE
OLDFILEUID:NONE
NEWFILEUID:NONE

<OFX><SIGNONMSGSRSV1><SONRS><STATUS><CODE>0<SEVERITY>INFO</STATUS><DTSERVER>20260402<LANGUAGE>ENG</SONRS></SIGNONMSGSRSV1>
<BANKMSGSRSV1><STMTTRNRS><TRNUID>1<STATUS><CODE>0<SEVERITY>INFO</STATUS><STMTRS><CURDEF>INR
<BANKACCTFROM><BANKID>1<ACCTID>1<ACCTTYPE>CHECKING</BANKACCTFROM>
<BANKTRANLIST><DTSTART>20260401<DTEND>20260402
<STMTTRN><TRNTYPE>CREDIT<DTPOSTED>{date}<TRNAMT>1000.00<FITID>1<NAME>UPI</STMTTRN>
</BANKTRANLIST><LEDGERBAL><BALAMT>1000.00<DTASOF>20260402</LEDGERBAL></STMTRS></STMTTRNRS></BANKMSGSRSV1></OFX>
"""


def tools(date):
    try:
        return f"{DateTime().convert(date):%d %b %H:%M}"
    except OFXSpecError:
        return "refused"


def parse(date):
    read = OfxParser.parse(io.BytesIO(FILE.format(date=date).encode()))
    return f"{read.account.statement.transactions[0].date:%d %b %H:%M}"


print("ofxtools", version("ofxtools"), "ofxparse", version("ofxparse"), "(UTC)")
found = {}
for zone in ("+5.5:IST", "+5.50:IST", "+5.30:IST", "+5:30:IST"):
    date = f"20260401000000[{zone}]"
    found[zone] = tools(date), parse(date)
    print(date, *found[zone], sep=" | ")
assert found == {
    "+5.5:IST": ("refused", "31 Mar 18:30"),
    "+5.50:IST": ("31 Mar 18:10", "31 Mar 18:30"),
    "+5.30:IST": ("31 Mar 18:30", "31 Mar 18:42"),
    "+5:30:IST": ("31 Mar 18:30", "01 Apr 00:00"),
}, "changed: times"
PYTHON
