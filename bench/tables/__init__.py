"""What tables bear; `python -m bench.tables`."""
