"""What every app needs: the database, the audit log of staff, refusals, the API's frame."""
