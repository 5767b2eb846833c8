"""Form and patterns for bank accounts, for pages and the API."""

from __future__ import annotations

from django import forms
from django.utils.translation import gettext_lazy as _

from wallet.withdrawals.payees.banks import IFSC_PATTERN
from wallet.withdrawals.payees.sealing import Payee

ACCOUNT_PATTERN = r"^[0-9]{9,18}$"
# Bank files take only ASCII letters; with fewer than two the name would be empty there.
PAYEE_PATTERN = r"^(?=.*[A-Za-z].*[A-Za-z])[^\W\d_][\w .'-]{1,79}$"


class PayeeForm(forms.Form):
    """A bank account to register."""

    # Stripped like in the API: `$` accepts a trailing newline, which would break the bank's file.
    payee_name = forms.RegexField(
        PAYEE_PATTERN,
        label=_("Name of the account holder"),
        help_text=_("In Latin letters, as in your bank's records"),
        max_length=80,
        strip=True,
    )
    bank_account = forms.RegexField(
        ACCOUNT_PATTERN, label=_("Account number"), help_text=_("9 to 18 digits"), strip=True
    )
    ifsc = forms.RegexField(
        IFSC_PATTERN,
        label=_("IFSC"),
        help_text=_("11 characters, such as HDFC0001234"),
        strip=True,
    )

    def payee(self) -> Payee:
        said = self.cleaned_data
        return Payee(said["payee_name"], said["bank_account"], said["ifsc"])
