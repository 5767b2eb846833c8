"""Bookkeeping: gateway and bank files, daily closings, seals, audits, registers."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from typing import Final

from devtools.sample_data.cashier import FEE_BPS, FEE_TAX_BPS, Cashier
from devtools.sample_data.fake_clock import FakeClock
from devtools.sample_data.people import Staff
from finance.closing.actions import close_days
from finance.matching.actions import keep_file, keep_statement
from finance.matching.gateways.settlements import request_settlements
from finance.reports.catalogue import BY_NAME, SCOPES
from finance.reports.exports.jobs import start_export, write_export
from finance.reports.frame.periods import SITE_ZONE, Period
from finance.reports.frame.report import Question
from finance.tokens.actions import approve_token, create_token
from finance.tokens.models import FinanceToken
from wallet.audit import freezes, seals
from wallet.bonuses import expiry
from wallet.deposits import unpaid_orders
from wallet.gateways.settlements import approve_settlement
from wallet.ledger.money import BASIS_POINTS
from wallet.tax.invoices.models import Registration
from wallet.tax.rates import append
from wallet.withdrawals import overdue

COLUMNS: Final = (
    "kind,reference,payment,currency,amount_minor,at,fee_minor,tax_minor,settlement,utr,settled_at"
)
# The registers of a month's tax returns.
REGISTERS: Final = ("gst-outward-supplies", "gst-invoices", "tds-deductions")
BANK_CHARGE_MINOR: Final = 118_00
RUPEE: Final = Decimal(100)


@dataclass
class Bookkeeping:
    """The work of finance staff and of nightly tasks."""

    site_clock: FakeClock
    staff: Staff
    cashier: Cashier
    token: FinanceToken = field(init=False)

    def __post_init__(self) -> None:
        """Register the operator for taxes, and create a token for the accountant's program."""
        append(
            row=Registration(
                starts_on=self.site_clock.today,
                legal_name="Pool Rummy Demo Private Limited",
                address="12 Brigade Road, Bengaluru 560025",
                state="KA",
                gstin="29AABCP1234D1ZU",
                tan="BLRP01234E",
                goods_code="999692",
                invoice_prefix="PR",
            ),
            by=self.staff.admin,
        )
        self.token, _ = create_token(
            name="Accountant",
            scopes=sorted(SCOPES),
            created_by=self.staff.admin,
        )
        approve_token(token_id=self.token.pk, by=self.staff.checker)

    def begin_day(self, day: date) -> None:
        """Run the nightly tasks: close days, seal, expire, look for overdue work."""
        self.site_clock.move_to(self.site_clock.at(day, 0, 10))
        close_days()
        expiry.expire_due_bonuses()
        unpaid_orders.close_unpaid()
        overdue.report_overdue()
        seals.seal_ledger()

    def audit(self) -> None:
        """Audit the ledger, as every night."""
        report = freezes.check_books()
        if not report.is_clean:
            raise RuntimeError("\n".join(["The books disagree:", *map(str, report.findings)]))

    def settle_gateway(self, *, leave: bool = False, correction_minor: int = 0) -> None:
        """Upload the gateway's settlements until yesterday; a second person approves the file."""
        midnight = self.site_clock.at(self.site_clock.today, 0)
        lines = [line for line in self.cashier.gateway.lines if line[0] < midnight]
        if not lines:
            return
        self.site_clock.agree()
        name = f"setl_{self.site_clock.today:%Y%m%d}"
        utr = f"UTR{self.site_clock.today:%Y%m%d}"
        settled = (name, utr, self.site_clock.now.isoformat())
        written = [COLUMNS]
        for moment, kind, reference, payment, minor in lines:
            fee = tax = 0
            if kind == "payment":
                fee = minor * FEE_BPS // BASIS_POINTS
                tax = fee * FEE_TAX_BPS // BASIS_POINTS
            cells = (kind, reference, payment, "INR", minor, moment.isoformat(), fee, tax)
            written.append(",".join(map(str, (*cells, *settled))))
        if correction_minor:
            moment = lines[-1][0]
            cells = ("other", f"adj_{name}", "", "INR", correction_minor, moment.isoformat(), 0, 0)
            written.append(",".join(map(str, (*cells, *settled))))
        left = self.cashier.gateway.lines[len(lines) :]
        self.cashier.gateway.lines = left
        body = "\n".join([*written, ""]).encode()
        file = keep_file(
            provider="sandbox", name=f"{name}.csv", body=body, uploaded_by=self.staff.maker
        ).row
        for asked in request_settlements(file_id=file.pk, by=self.staff.maker):
            text = f"RAZOR {asked.bank_reference}"
            self.cashier.bank.append((self.site_clock.today, text, asked.net_minor))
            if not leave:
                approve_settlement(settlement_id=asked.pk, by=self.staff.checker)

    def upload_statement(self) -> None:
        """Upload the bank's statement until yesterday, including the bank's charges."""
        today = self.site_clock.today
        lines = [line for line in self.cashier.bank if line[0] < today]
        if not lines:
            return
        self.site_clock.agree()
        self.cashier.bank = self.cashier.bank[len(lines) :]
        lines.append((lines[-1][0], "CHARGES FOR THE ACCOUNT", -BANK_CHARGE_MINOR))
        written = [f"{day},{text},{minor / RUPEE}" for day, text, minor in lines]
        body = "\n".join(["date,text,amount", *written, ""]).encode()
        keep_statement(name=f"statement-{today}.csv", body=body, uploaded_by=self.staff.maker)

    def write_registers(self, first: date, last: date) -> None:
        """Export the registers for a month's tax returns."""
        self.site_clock.agree()
        for name in REGISTERS:
            report = BY_NAME[name]
            question = Question.asked(
                Period(first, last, SITE_ZONE), has_late_entries=report.has_late_entries
            )
            job = start_export(
                reader=self.token,
                report=report,
                chosen="csv",
                question=question,
                filters=f"from={first}&to={last}",
            )
            write_export(job_id=job.pk)
