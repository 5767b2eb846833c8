"""Card tables: seats, deals, moves, the clock, settlement, history, disputes."""
