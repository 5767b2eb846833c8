"""A table is found by its address."""

from uuid import uuid4

import pytest

from tables.models.addresses import Address, read_table
from tables.models.tables import Table
from tests.builders.tables.making import make_table
from tests.builders.wallet.tax_office import unguarded

pytestmark = pytest.mark.django_db


def test_a_table_is_read_by_its_address_as_it_is_now():
    table = make_table()
    read_table(table.public_id)
    Table.objects.filter(pk=table.pk).update(version=table.version + 1)

    assert read_table(table.public_id).version == table.version + 1


@pytest.mark.parametrize("has_an_address", [True, False])
def test_deleted_table_is_not_found(has_an_address):
    address = Address(public_id=uuid4(), table_id=2**40)
    if has_an_address:
        with unguarded():
            address.save(force_insert=True)

    with pytest.raises(Table.DoesNotExist):
        read_table(address.public_id)
