"""What Django's own Hindi formats leave open: figures read as `as_text` writes amounts."""

DECIMAL_SEPARATOR = "."
THOUSAND_SEPARATOR = ","
NUMBER_GROUPING = (3, 2, 0)
