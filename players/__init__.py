"""Who plays: accounts, guests, sign-in, notifications, and what each may do."""
