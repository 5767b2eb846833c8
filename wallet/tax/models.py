"""Taxes on cash: rates by date, withholdings from winnings, GST charges on deposits.

All three are append-only. The money itself is in the ledger; the audit compares both.
"""

from __future__ import annotations

from datetime import date
from typing import ClassVar, Self

from django.conf import settings
from django.db import models
from django.db.models.functions import Greatest
from django.utils.translation import gettext, gettext_noop
from django.utils.translation import gettext_lazy as _

from core.clock import CreatedAtField
from core.db.identifiers import ProtectedForeignKey, ProtectedOneToOneField
from core.db.row_locks import OfPlayerQuerySet
from wallet.deposits.models import Deposit
from wallet.ledger.models import Transfer
from wallet.ledger.money import MoneyProperty, percent
from wallet.tax.arithmetic import Figures, Rate, year_name
from wallet.withdrawals.models import Withdrawal


class PayeeKind(models.TextChoices):
    """The taxpayer's residence, which determines rates and forms."""

    RESIDENT = "resident", _("Resident in India")
    NON_RESIDENT = "non_resident", _("Not resident in India")


class TaxRateQuerySet(models.QuerySet["TaxRate"]):
    def in_force(
        self, tax: str, currency: str, day: date, *, payee: str = PayeeKind.RESIDENT
    ) -> Self:
        """Return the rates that have begun by a day, the one in force first."""
        begun = self.filter(tax=tax, currency=currency, payee=payee, starts_on__lte=day)
        return begun.order_by("-starts_on", "-pk")


# The laws behind the rates of this release, for translation (`core.text_validation.named`).
LAWS_OF_TDS = (
    gettext_noop("Income-tax Act 1961, section 194BA"),
    gettext_noop("Income-tax Act 2025, section 393(3)"),
)


class TaxRate(models.Model):
    """A rate and its first day; it applies until another begins."""

    class Tax(models.TextChoices):
        TDS = "tds", _("Withholding on winnings")
        GST = "gst", _("GST on deposits")

    class Treatment(models.TextChoices):
        WITHHELD = "withheld", _("Withheld from withdrawals")
        EXCLUSIVE = "exclusive", _("Added to the credited amount")
        INCLUSIVE = "inclusive", _("Included in the paid amount")
        NONE = "none", _("Not charged")

    tax = models.CharField(max_length=3, choices=Tax)
    currency = models.CharField(max_length=3, default="INR")
    payee = models.CharField("whose", max_length=12, choices=PayeeKind, default=PayeeKind.RESIDENT)
    # Days are in Asia/Kolkata. Of several rows of a day the latest counts, to allow corrections.
    starts_on = models.DateField()
    bps = models.IntegerField("basis points")
    # On tax and surcharge together.
    cess_bps = models.IntegerField("cess in basis points", default=0)
    # Pairs [above_minor, bps], ascending: the surcharge on the tax once the net winnings of the
    # financial year exceed the amount.
    surcharges = models.JSONField(default=list, blank=True)
    treatment = models.CharField(max_length=9, choices=Treatment)
    law = models.CharField(max_length=120, help_text="The legal basis shown to players.")
    added_by = models.CharField(max_length=80)
    added_at = CreatedAtField()

    objects = TaxRateQuerySet.as_manager()

    class Meta:
        ordering: ClassVar[list[str]] = ["tax", "currency", "payee", "-starts_on", "-id"]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.CheckConstraint(
                condition=models.Q(treatment="none", bps=0)
                | ~models.Q(treatment="none") & models.Q(bps__gt=0, bps__lt=10_000),
                name="wallet_taxrate_is_a_rate",
                violation_error_message=_("Enter a rate from 0 to less than 100 percent."),
            ),
            models.CheckConstraint(
                condition=models.Q(tax="tds", treatment__in=["withheld", "none"])
                | models.Q(tax="gst", treatment__in=["exclusive", "inclusive", "none"]),
                name="wallet_taxrate_treatment_fits_tax",
                violation_error_message=_("Only tax on winnings is withheld."),
            ),
            models.CheckConstraint(
                condition=~models.Q(law="") & ~models.Q(added_by=""),
                name="wallet_taxrate_has_a_reason",
            ),
            models.CheckConstraint(
                condition=models.Q(treatment="withheld", cess_bps__gte=0, cess_bps__lt=10_000)
                | models.Q(cess_bps=0, surcharges=[]),
                name="wallet_taxrate_cess_of_what_is_withheld",
                violation_error_message=_("Only tax that is withheld has a surcharge and cess."),
            ),
            models.CheckConstraint(
                condition=models.Q(tax="tds") | models.Q(payee="resident"),
                name="wallet_taxrate_gst_is_one_for_all",
                violation_error_message=_("GST does not depend on the player's residence."),
            ),
        ]

    def __str__(self) -> str:
        names = {"tax": self.get_tax_display(), "currency": self.currency}
        rate = {"percent": self.percent, "day": self.starts_on}
        return gettext("%(tax)s %(currency)s %(percent)s %% from %(day)s") % {**names, **rate}

    @property
    def percent(self) -> str:
        return percent(self.bps)

    @property
    def cess_percent(self) -> str:
        return percent(self.cess_bps)

    def at(self, winnings_minor: int) -> Rate:
        """Return the rate for a year with these net winnings, which determine the surcharge."""
        above = [bps for minor, bps in self.surcharges if winnings_minor > minor]
        return Rate(self.bps, surcharge_bps=above[-1] if above else 0, cess_bps=self.cess_bps)


def _half_up(amount: models.expressions.Combinable, bps: str) -> models.expressions.Combinable:
    """Return a share of a column in basis points, rounded half up."""
    return (amount * models.F(bps) + 5_000) / 10_000


_INCOME_TAX = _half_up(models.F("taxed_minor"), "bps")


class WithholdingQuerySet(OfPlayerQuerySet["Withholding"]):
    """Taxes withheld from players."""


class Withholding(models.Model):
    """The tax of one withdrawal or of the end of a year, with its calculation (RB 11.4)."""

    class Reason(models.TextChoices):
        WITHDRAWAL = "withdrawal", _("Withdrawal")
        YEAR_END = "year_end", _("End of the financial year")

    player = ProtectedForeignKey(
        settings.AUTH_USER_MODEL, related_name="withholdings", db_index=False
    )
    currency = models.CharField(max_length=3)
    # The financial year that begins in April of this year.
    year = models.SmallIntegerField()
    reason = models.CharField(max_length=10, choices=Reason)
    withdrawal = ProtectedOneToOneField(Withdrawal, null=True, related_name="withholding")
    # Null if a year ended without tax; a withdrawal's tax is in its hold transfer.
    transfer = ProtectedOneToOneField(Transfer, null=True, related_name="withholding")
    # A, B, C, D and E of the rule, as computed under locks on the accounts.
    withdrawn_minor = models.BigIntegerField("A: withdrawn")
    deposited_minor = models.BigIntegerField("B: own deposits")
    opening_minor = models.BigIntegerField("C: opening balance")
    closing_minor = models.BigIntegerField("D: closing balance", default=0)
    # The part of D that was in unfinished games.
    in_games_minor = models.BigIntegerField(default=0)
    taxed_before_minor = models.BigIntegerField("E: taxed before")
    net_minor = models.BigIntegerField("net winnings")
    # Less than the net only at a year's end, if the money to pay the tax is in games.
    taxed_minor = models.BigIntegerField("taxed")
    payee = models.CharField("whose", max_length=12, choices=PayeeKind, default=PayeeKind.RESIDENT)
    bps = models.IntegerField("basis points")
    surcharge_bps = models.IntegerField("surcharge in basis points", default=0)
    cess_bps = models.IntegerField("cess in basis points", default=0)
    # The tax, including surcharge and cess; then these two.
    tax_minor = models.BigIntegerField("tax")
    surcharge_minor = models.BigIntegerField("surcharge", default=0)
    cess_minor = models.BigIntegerField("cess", default=0)
    deducted_on = models.DateField()
    created_at = CreatedAtField()

    objects = WithholdingQuerySet.as_manager()

    class Meta:
        ordering: ClassVar[list[str]] = ["-id"]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.CheckConstraint(
                condition=models.Q(
                    net_minor=Greatest(
                        models.Value(0),
                        models.F("withdrawn_minor")
                        + models.F("closing_minor")
                        - models.F("deposited_minor")
                        - models.F("opening_minor")
                        - models.F("taxed_before_minor"),
                    )
                ),
                name="wallet_withholding_net_of_a_to_e",
            ),
            models.CheckConstraint(
                condition=models.Q(year__gte=2000, year__lte=2200),
                name="wallet_withholding_year_is_one",
            ),
            models.CheckConstraint(
                condition=models.Q(
                    taxed_minor__gte=0,
                    taxed_minor__lte=models.F("net_minor"),
                    surcharge_minor=_half_up(_INCOME_TAX, "surcharge_bps"),
                    cess_minor=_half_up(_INCOME_TAX + models.F("surcharge_minor"), "cess_bps"),
                    tax_minor=_INCOME_TAX + models.F("surcharge_minor") + models.F("cess_minor"),
                ),
                name="wallet_withholding_tax_half_up",
            ),
            models.CheckConstraint(
                condition=models.Q(
                    reason="withdrawal",
                    withdrawal__isnull=False,
                    transfer__isnull=False,
                    taxed_minor=models.F("net_minor"),
                    closing_minor=0,
                )
                | models.Q(reason="year_end", withdrawal=None)
                & (models.Q(tax_minor=0, transfer=None) | models.Q(transfer__isnull=False)),
                name="wallet_withholding_is_posted",
            ),
            models.UniqueConstraint(
                fields=["player", "currency", "year"],
                condition=models.Q(reason="year_end"),
                name="wallet_withholding_year_ends_once",
            ),
        ]
        indexes: ClassVar[list[models.Index]] = [
            models.Index(
                fields=["player", "currency", "year"], name="wallet_withholding_of_a_year"
            ),
            models.Index(fields=["deducted_on"], name="wallet_withholding_by_day"),
        ]

    def __str__(self) -> str:
        names = {"reason": self.get_reason_display(), "year": year_name(self.year)}
        text = gettext("%(reason)s %(year)s of %(player)s")
        return text % {**names, "player": self.player}

    withdrawn = MoneyProperty("withdrawn_minor")
    deposited = MoneyProperty("deposited_minor")
    opening = MoneyProperty("opening_minor")
    closing = MoneyProperty("closing_minor")
    taxed_before = MoneyProperty("taxed_before_minor")
    net = MoneyProperty("net_minor")
    taxed = MoneyProperty("taxed_minor")
    tax = MoneyProperty("tax_minor")
    surcharge = MoneyProperty("surcharge_minor")
    cess = MoneyProperty("cess_minor")

    @property
    def figures(self) -> Figures:
        return Figures(
            withdrawn=self.withdrawn_minor,
            deposited=self.deposited_minor,
            opening=self.opening_minor,
            taxed=self.taxed_before_minor,
            closing=self.closing_minor,
        )

    @property
    def is_given_back(self) -> bool:
        """Return whether the withdrawal was returned, and its tax refunded."""
        return self.transfer is not None and hasattr(self.transfer, "reversed_by")

    @property
    def rate(self) -> Rate:
        return Rate(self.bps, surcharge_bps=self.surcharge_bps, cess_bps=self.cess_bps)

    @property
    def carried_minor(self) -> int:
        """The opening balance (C) of the next year.

        Net winnings that could not be taxed are excluded, and so are taxed in the next year.
        """
        return self.closing_minor - self.tax_minor - (self.net_minor - self.taxed_minor)


class GstCharge(models.Model):
    """GST on one credited payment: the register of RB 11.5."""

    deposit = ProtectedForeignKey(Deposit, related_name="gst_charges")
    transfer = ProtectedOneToOneField(Transfer, related_name="gst_charge")
    currency = models.CharField(max_length=3)
    paid_minor = models.BigIntegerField("paid")
    credited_minor = models.BigIntegerField("credited")
    tax_minor = models.BigIntegerField("tax")
    bps = models.IntegerField("basis points")
    treatment = models.CharField(max_length=9, choices=TaxRate.Treatment)
    charged_on = models.DateField()
    # The player's place when it was charged, such as "IN-KA": the place of supply.
    place = models.CharField(max_length=6, blank=True, default="")
    created_at = CreatedAtField()

    class Meta:
        verbose_name = "GST charge"
        ordering: ClassVar[list[str]] = ["-id"]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.CheckConstraint(
                condition=models.Q(
                    paid_minor=models.F("credited_minor") + models.F("tax_minor"),
                    credited_minor__gt=0,
                    tax_minor__gte=0,
                ),
                name="wallet_gstcharge_adds_up",
            ),
            models.CheckConstraint(
                condition=models.Q(
                    treatment="exclusive",
                    tax_minor=(models.F("credited_minor") * models.F("bps") + 5_000) / 10_000,
                )
                | models.Q(
                    treatment="inclusive",
                    credited_minor=models.F("paid_minor") * 10_000 / (models.F("bps") + 10_000),
                ),
                name="wallet_gstcharge_by_its_rate",
            ),
        ]
        indexes: ClassVar[list[models.Index]] = [
            models.Index(fields=["charged_on"], name="wallet_gstcharge_by_day"),
        ]

    def __str__(self) -> str:
        return gettext("GST on %(deposit)s") % {"deposit": self.deposit}

    paid = MoneyProperty("paid_minor")
    credited = MoneyProperty("credited_minor")
    tax = MoneyProperty("tax_minor")
