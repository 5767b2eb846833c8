"""Players: accounts, guests, sign-in, identity, eligibility to play, notifications and cases."""
