"""The reports, by subject; `finance.reports.catalogue` lists them all."""
