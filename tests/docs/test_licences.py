"""The page of licences lists what the lock file installs."""

from __future__ import annotations

from docs import licences


def test_page_lists_every_package_of_the_lock_file_with_a_licence() -> None:
    page = licences.PAGE.read_text(encoding="utf-8")

    assert len(licences.packages()) > 80
    assert licences.listed(page) == licences.packages(), "run make licences"
    assert {"pytest", "mypy"} & licences.packages().keys() == set()
