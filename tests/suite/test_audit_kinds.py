"""Each kind of difference that the audits of play and of tournaments name has a tampering."""

import re
from pathlib import Path

from django.conf import settings

from core.db.schema import sql_of
from tests.builders.tables.play_tamperings import CATALOGUE
from tests.tables.integrity import test_invented_results
from tests.tournaments.integrity import test_tampered_contests
from tests.wallet.audit import test_tamperings_by_login

ROOT = Path(settings.BASE_DIR)
IN_PYTHON = re.compile(r'Finding\(\s*"([a-z_]+)"')
IN_SQL = re.compile(r"^SELECT '([a-z_]+)'", re.MULTILINE)
WHERE = ("tables/integrity", "tables/games", "tournaments/integrity")


def kinds_in_code():
    texts = [path.read_text() for place in WHERE for path in sorted((ROOT / place).rglob("*.py"))]
    found = {kind for text in texts for kind in IN_PYTHON.findall(text)}
    return found | set(IN_SQL.findall(sql_of("tables.integrity.audit_play")))


def test_every_kind_of_difference_is_produced_by_a_test():
    produced = {each.named.split()[0] for each in CATALOGUE}
    produced |= {each.named.split()[0] for each in test_tampered_contests.CATALOGUE}
    produced |= {each.check for each in test_tamperings_by_login.ALL}
    archived = Path(test_invented_results.__file__).read_text()

    kinds = kinds_in_code()

    assert len(kinds) >= 59
    missing = {kind for kind in kinds - produced if f'"{kind}"' not in archived}
    assert missing == set()
