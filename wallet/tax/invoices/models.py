"""Tax filing: names of forms by date, the operator's registrations, invoices.

All three are append-only.
"""

from __future__ import annotations

from datetime import date
from typing import ClassVar, Self

from django.core.validators import RegexValidator
from django.db import models
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from core.clock import CreatedAtField
from core.db.identifiers import ProtectedForeignKey, ProtectedOneToOneField
from wallet.tax.invoices import gstin
from wallet.tax.models import GstCharge, PayeeKind, TaxRate

TAN_PATTERN = r"\A[A-Z]{4}[0-9]{5}[A-Z]\Z"
PREFIX_PATTERN = r"\A[A-Z0-9]{0,3}\Z"


class TaxFormQuerySet(models.QuerySet["TaxForm"]):
    def in_force(self, tax: str, payee: str, day: date) -> Self:
        """Return the forms that have begun by a day, the one in force first."""
        return self.filter(tax=tax, payee=payee, starts_on__lte=day).order_by("-starts_on", "-pk")


class TaxForm(models.Model):
    """The forms on which a tax is filed from a day on, and the section they cite."""

    Payee = PayeeKind

    tax = models.CharField(max_length=3, choices=TaxRate.Tax)
    # For tax on winnings the player's residence; for GST the operator's, from its registration.
    payee = models.CharField("whose", max_length=12, choices=PayeeKind, default=PayeeKind.RESIDENT)
    # Of several rows of a day the latest counts.
    starts_on = models.DateField()
    return_form = models.CharField(max_length=20, help_text="The periodic return, such as 26Q.")
    certificate_form = models.CharField(
        max_length=20, blank=True, help_text="The certificate for the player, such as 16A."
    )
    section = models.CharField(max_length=60, help_text="The section that the return cites.")
    payment_code = models.CharField(
        max_length=4,
        blank=True,
        help_text="The code of the payment in returns and challans, such as 1060.",
        validators=[RegexValidator(r"\A[0-9]{4}\Z", _("Enter four digits."))],
    )
    large_above_minor = models.BigIntegerField(
        null=True,
        blank=True,
        help_text="GST: the value above which an invoice to another state is listed by itself.",
    )
    added_by = models.CharField(max_length=80)
    added_at = CreatedAtField()

    objects = TaxFormQuerySet.as_manager()

    class Meta:
        ordering: ClassVar[list[str]] = ["tax", "payee", "-starts_on", "-id"]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.CheckConstraint(
                condition=~models.Q(return_form="")
                & ~models.Q(section="")
                & ~models.Q(added_by="")
                & (models.Q(large_above_minor=None) | models.Q(tax="gst", large_above_minor__gt=0)),
                name="wallet_taxform_names_a_form",
            ),
        ]

    def __str__(self) -> str:
        names = {"form": self.return_form, "tax": self.get_tax_display(), "day": self.starts_on}
        return gettext("%(form)s for %(tax)s from %(day)s") % names


class Registration(models.Model):
    """The operator's identity for the tax offices, from a day on."""

    starts_on = models.DateField()
    legal_name = models.CharField(max_length=120)
    address = models.CharField(max_length=300)
    # The part after the hyphen of ISO 3166-2, such as "KA"; empty for an operator outside India.
    state = models.CharField(
        max_length=3, blank=True, help_text="Empty for an operator outside India (GSTIN 99…OS.)."
    )
    gstin = models.CharField(
        "GSTIN",
        max_length=15,
        help_text="Its format, check digit and state are checked.",
    )
    tan = models.CharField(
        "TAN",
        max_length=10,
        blank=True,
        help_text="The number for tax deducted, printed on certificates.",
        validators=[
            RegexValidator(TAN_PATTERN, _("Enter four letters, five digits and a letter."))
        ],
    )
    goods_code = models.CharField(
        "HSN", max_length=8, blank=True, help_text="Code of the supply, for the tax return."
    )
    invoice_prefix = models.CharField(
        max_length=3,
        blank=True,
        help_text="Up to three capitals or digits; invoice numbers begin with it.",
        validators=[RegexValidator(PREFIX_PATTERN, _("Use capitals and digits."))],
    )
    added_by = models.CharField(max_length=80)
    added_at = CreatedAtField()

    class Meta:
        ordering: ClassVar[list[str]] = ["-starts_on", "-id"]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.CheckConstraint(
                condition=models.Q(
                    invoice_prefix__regex=PREFIX_PATTERN.replace(r"\A", "^").replace(r"\Z", "$"),
                )
                & (
                    models.Q(gstin__regex=f"^{gstin.NORMAL.pattern}$") & ~models.Q(state="")
                    | models.Q(gstin__regex=f"^{gstin.OFFSHORE.pattern}$", state="")
                )
                & ~models.Q(legal_name="")
                & ~models.Q(added_by=""),
                name="wallet_registration_is_complete",
            ),
        ]

    def __str__(self) -> str:
        return gettext("%(name)s from %(day)s") % {"name": self.legal_name, "day": self.starts_on}

    def clean(self) -> None:
        gstin.refuse_wrong_gstin(self.gstin, state=self.state)

    @property
    def is_offshore(self) -> bool:
        """Whether the operator is outside India: it files GSTR-5A and charges IGST alone."""
        return gstin.is_offshore(self.gstin)


class Invoice(models.Model):
    """The invoice of a credited deposit; numbered without gaps in each financial year.

    Written only by `wallet_issue_invoices`, for closed days.
    """

    charge = ProtectedOneToOneField(GstCharge, related_name="invoice")
    # The financial year that begins in April of this year.
    year = models.SmallIntegerField()
    number = models.BigIntegerField()
    # Null if the operator had no registration on the day of the charge.
    registration = ProtectedForeignKey(Registration, null=True, related_name="invoices")
    issued_at = models.DateTimeField()

    class Meta:
        ordering: ClassVar[list[str]] = ["-year", "-number"]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(fields=["year", "number"], name="wallet_invoice_number_once"),
            models.CheckConstraint(
                condition=models.Q(number__gte=1), name="wallet_invoice_numbers_from_one"
            ),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def name(self) -> str:
        """Return the printed number: at most 16 characters, as required by rule 46."""
        prefix = self.registration.invoice_prefix if self.registration else ""
        return self.name_of(prefix, self.year, self.number)

    @staticmethod
    def name_of(prefix: str, year: int, number: int) -> str:
        """Return a number of a financial year as printed.

        >>> Invoice.name_of("KG", 2026, 7)
        'KG2627/00000007'
        """
        return f"{prefix}{year % 100:02}{(year + 1) % 100:02}/{number:08}"
