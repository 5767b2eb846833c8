"""Compare this checkout with an earlier revision, in alternation; `python -m bench.against REV`."""
