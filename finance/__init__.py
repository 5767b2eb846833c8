"""Reports, exports, registers and reconciliation over the ledger."""
