"""Layouts of CSV that staff declare for their own bank, beside those of `banks/`."""

from __future__ import annotations

from typing import ClassVar

from django.core.validators import RegexValidator
from django.db import models
from django.utils.translation import gettext_lazy as _

from finance.matching.layouts.layout import DAYS, DELIMITERS, ENCODINGS, Layout

# Columns of the row that hold one text a line, and are tuples of a `Layout`.
LISTS = ("text", "references", "footer", "skipped")
DELIMITER_NAMES = {
    ",": _("Comma"),
    ";": _("Semicolon"),
    "\t": _("Tab"),
    "|": _("Vertical bar"),
}
FIGURES = {
    ".,": _("1,234.50 or 1,23,456.00"),
    ",.": _("1.234,50"),
    ", ": _("1 234,50"),
    ".'": _("1'234.50"),
    ".": _("1234.50, without separators"),
    ",": _("1234,50, without separators"),
}
BY_CONTENT = _("Recognized by the file: UTF-8, else Latin-1")


class CsvLayout(models.Model):
    """How to read the CSV of a bank; its fields are those of `Layout`."""

    title = models.CharField(_("Name"), max_length=40, unique=True)
    delimiter = models.CharField(
        _("Cells are separated by"),
        max_length=1,
        default=",",
        choices=[(one, DELIMITER_NAMES[one]) for one in DELIMITERS],
    )
    encoding = models.CharField(
        _("Encoding"),
        max_length=10,
        blank=True,
        default="",
        choices=[(one, one.upper() if one else BY_CONTENT) for one in ENCODINGS],
    )
    currency = models.CharField(
        _("Currency"),
        max_length=3,
        blank=True,
        default="",
        validators=[RegexValidator(r"\A[A-Z]{3}\Z", _("Enter three capitals, such as INR."))],
        help_text=_("Empty: the site's first currency."),
    )
    account = models.CharField(
        _("Text before the account number"),
        max_length=60,
        blank=True,
        default="",
        help_text=_("As written above the headings, such as Account No."),
    )
    date = models.CharField(_("Booking date"), max_length=100)
    date_format = models.CharField(
        _("Dates are written"), max_length=11, choices=[(one, one) for one in DAYS]
    )
    value_date = models.CharField(_("Value date"), max_length=100, blank=True, default="")
    text = models.TextField(_("Text"), help_text=_("One heading in each line."))
    references = models.TextField(
        _("References"), blank=True, default="", help_text=_("One heading in each line.")
    )
    figures = models.CharField(
        _("Amounts are written"), max_length=2, default=".,", choices=list(FIGURES.items())
    )
    amount = models.CharField(
        _("Amount"),
        max_length=100,
        blank=True,
        default="",
        help_text=_("If debits and credits are in one column."),
    )
    debit = models.CharField(_("Debit"), max_length=100, blank=True, default="")
    credit = models.CharField(_("Credit"), max_length=100, blank=True, default="")
    side = models.CharField(
        _("Debit or credit"),
        max_length=100,
        blank=True,
        default="",
        help_text=_("A column that says of the amount which of the two it is."),
    )
    debit_sign = models.CharField(
        _("Sign of debits"),
        max_length=20,
        blank=True,
        default="",
        help_text=_("In that column, or after a figure, such as Dr in 500.00 Dr."),
    )
    credit_sign = models.CharField(_("Sign of credits"), max_length=20, blank=True, default="")
    parentheses = models.BooleanField(_("(500.00) is a debit"), default=False)
    balance = models.CharField(
        _("Balance"),
        max_length=100,
        blank=True,
        default="",
        help_text=_("Proves that no line is missing."),
    )
    balance_side = models.CharField(
        _("Debit or credit of the balance"), max_length=100, blank=True, default=""
    )
    footer = models.TextField(
        _("The lines end at"),
        blank=True,
        default="",
        help_text=_("Beginnings of cells below the last line, such as STATEMENT SUMMARY."),
    )
    skipped = models.TextField(
        _("Rows that are no lines"),
        blank=True,
        default="",
        help_text=_("Beginnings of cells in rows without an amount, such as OPENING BALANCE."),
    )

    class Meta:
        verbose_name = _("layout of a bank's CSV")
        verbose_name_plural = _("layouts of banks' CSV")
        ordering: ClassVar[list[str]] = ["title"]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.CheckConstraint(
                condition=models.Q(amount="") ^ models.Q(debit=""),
                name="finance_csvlayout_one_way_of_amounts",
            ),
        ]

    def __str__(self) -> str:
        return self.title

    def layout(self) -> Layout:
        """Return the declaration; raise `BadLayout` if it contradicts itself."""
        own = ("delimiter", "figures")
        names = (field.name for field in self._meta.fields if field.name not in ("id", *own))
        values = {name: getattr(self, name) for name in names}
        texts = {
            name: tuple(one.strip() for one in values[name].splitlines() if one.strip())
            for name in LISTS
        }
        return Layout(
            name=f"own-{self.pk}",
            decimal=self.figures[:1],
            group=self.figures[1:],
            delimiters=(self.delimiter,),
            **values | texts,
        )
