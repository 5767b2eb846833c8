"""What pages of several apps have: charts, and days to choose."""
