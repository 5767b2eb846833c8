"""Money: the ledger, deposits and withdrawals, stakes, bonuses, taxes."""
