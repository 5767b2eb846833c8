"""Parts of pages of several apps: charts and date inputs."""
