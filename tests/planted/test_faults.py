import ast
import runpy
from collections import Counter

import pytest

from tests.planted.faults import CHECKOUT, Fault, NotPlantedError, load, place_of, plant
from tests.planted.forks import replace_in_memory
from tests.planted.running import Copy

APPS = {"rummy", "wallet", "tables", "tournaments", "finance"}
KINDS = {"sign", "boundary", "missing lock", "wrong bucket", "skipped refusal"}


def test_every_planted_fault_fits_exactly_one_place_of_the_product():
    faults, misplaced = load(), []
    for fault in faults:
        try:
            place_of(fault)
        except NotPlantedError as error:
            misplaced.append(str(error))

    assert misplaced == []
    assert len(faults) >= 200
    assert max(Counter(fault.name for fault in faults).values()) == 1


def test_planted_faults_cover_every_app_and_the_usual_kinds():
    faults = load()

    by_app = Counter(fault.app for fault in faults)

    assert set(by_app) == APPS | {"players"}
    assert min(by_app[app] for app in APPS) >= 8
    assert {fault.kind for fault in faults} >= KINDS


def test_a_planted_fault_changes_the_module_and_leaves_it_readable_by_python():
    changed = 0
    for fault in load():
        if fault.is_sql:
            continue
        place = place_of(fault)
        before = place.path.read_text()
        after = before[: place.start] + fault.new + before[place.end :]
        changed += ast.dump(ast.parse(after)) != ast.dump(ast.parse(before))

    assert changed == sum(not fault.is_sql for fault in load())
    assert changed >= 190


MODULE = '''
def price(entry, rate):
    """Return entry * rate."""
    return (
        entry *  rate
    )


class Table:
    def price(self, entry, rate):
        if entry:
            return entry + rate
'''


def fault(old, new="x", function="price"):
    return Fault("shop", "f", "sign", function, is_sql=False, old=old, new=new)


@pytest.fixture
def checkout(tmp_path):
    (tmp_path / "shop" / "prices").mkdir(parents=True)
    (tmp_path / "shop" / "prices" / "price.py").write_text(MODULE)
    return tmp_path


def test_fault_finds_the_function_that_holds_its_fragment_whatever_the_spaces(checkout):
    place = place_of(fault("entry + rate"), checkout)

    assert MODULE[place.start : place.end] == "entry + rate"
    assert place.lines == range(12, 13)


@pytest.mark.parametrize("old", ["entry * rate", "entry - rate", "rate"])
def test_fault_is_refused_unless_its_fragment_occurs_once(checkout, old):
    with pytest.raises(NotPlantedError):
        place_of(fault(old), checkout)


def test_method_of_a_class_is_found_by_its_full_name(checkout):
    assert place_of(fault("if entry:", function="Table.price"), checkout).lines == range(11, 12)
    with pytest.raises(NotPlantedError):
        place_of(fault("entry + rate", function="Shop.price"), checkout)


def test_sql_fault_changes_the_present_function_and_its_copy_in_a_migration(tmp_path):
    body = (
        "CREATE FUNCTION shop_sum(a int) RETURNS int AS $$ SELECT a + 1 $$;\n"
        "CREATE FUNCTION shop_rest(a int) RETURNS int AS $$ SELECT a + 1 $$;\n"
    )
    files = [tmp_path / "shop" / folder / "sums.sql" for folder in ("sums/sql", "migrations")]
    for path in files:
        path.parent.mkdir(parents=True)
        path.write_text(body)

    before = plant(Fault("shop", "f", "sign", "shop_rest", True, "a + 1", "a - 1"), tmp_path)

    assert before == dict.fromkeys(files, body)
    for path in files:
        assert path.read_text().count("a + 1") == path.read_text().count("a - 1") == 1
        assert path.read_text().index("a - 1") > path.read_text().index("shop_rest")


OF_CLOSURES = """
def column(name):
    def shown(row):
        return name if row else "-"
    return shown
"""


def test_fault_in_memory_changes_functions_that_were_made_before(tmp_path):
    path = tmp_path / "shop" / "columns.py"
    path.parent.mkdir()
    path.write_text(OF_CLOSURES)
    column = runpy.run_path(str(path))["column"]
    made = column("by")
    wrong = fault("if row else", "if not row else", function="column.shown")

    assert replace_in_memory(wrong, place_of(wrong, tmp_path)) == 2

    assert [made(row) for row in (True, False)] == ["-", "by"]
    assert column("at")(False) == "at"


@pytest.mark.extended
def test_copy_differs_from_the_checkout_only_while_a_fault_is_planted():
    fault = load()[0]
    module = place_of(fault).path.relative_to(CHECKOUT)
    present = (CHECKOUT / module).read_text()
    copy = Copy()
    try:
        path = copy.root / module
        assert path.read_text() == present
        with copy.planted(fault):
            planted, moment = path.read_text(), path.stat().st_mtime
        assert planted != present
        assert path.read_text() == present
        # Python compares whole seconds: it compiles the module anew both times.
        assert int(path.stat().st_mtime) > int(moment) > int((CHECKOUT / module).stat().st_mtime)
    finally:
        copy.remove()
    assert not copy.root.exists()
