"""What a new account finds in its wallet."""

from players.signup import HandleAdapter


class SignUpAdapter(HandleAdapter):
    """Signs a player up and grants the first play points."""
