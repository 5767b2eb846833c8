"""What staff see and may do: the admin, roles, dashboard, monitoring."""
