"""Compare this checkout with an earlier revision, by turns; `python -m bench.against REV`."""
