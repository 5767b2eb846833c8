"""Number formats missing in Django's Hindi locale, equal to those of `as_text`."""

DECIMAL_SEPARATOR = "."
THOUSAND_SEPARATOR = ","
NUMBER_GROUPING = (3, 2, 0)
