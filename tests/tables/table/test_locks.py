"""Tables are locked in `tables.table.locks` and by the snapshot's statements, and nowhere else."""

import re
from pathlib import Path

import pytest

from tables.table.locks import lock_table

APPS = ("tables", "tournaments", "finance", "staff")
LOCKS = re.compile(r"\bTable\.objects\b[^\n]*\.locked\(|\bLockedTable\(")


def test_only_the_lock_functions_lock_tables():
    root = Path(__file__).parents[3]
    sources = [path for app in APPS for path in (root / app).rglob("*.py")]

    found = {str(path.relative_to(root)) for path in sources if LOCKS.search(path.read_text())}

    assert found == {"tables/table/locks.py"}


@pytest.mark.django_db(transaction=True)
def test_a_lock_outside_of_a_transaction_is_a_mistake():
    with pytest.raises(AssertionError, match="a lock lasts as long as a transaction"):
        lock_table(0)
