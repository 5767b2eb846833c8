"""The staff's side of the site: roles, dashboard, cases, player pages and monitoring."""
