"""The browser's verifier compared with the Python one: both accept and reject the same files."""

from __future__ import annotations

import io
import random
from contextlib import redirect_stdout
from typing import Any

import pytest
from playwright.sync_api import Page

from rummy import PROFILES, HistoryError, Stream, straight, toss
from rummy.command_line.cli import main
from rummy.history.files import History, dumps, loads
from rummy.notation.rules import Rules
from tests.builders.cards.histories import played
from tests.builders.cards.straight import random_play, random_rules
from tests.builders.cards.tampering import KINDS, SEEN, honest

pytestmark = pytest.mark.browser

CHAIN = """async ([texts, seen]) => {
  const { readFile } = await import("/static/js/deal_file.js");
  const { checksOf, follow } = await import("/static/js/fair_deal.js");
  const { recall, remember } = await import("/static/js/seen.js");
  for (const [table, deal, name, value] of seen) remember(table, deal, { [name]: value });
  try {
    const files = texts.map((text, at) => ({ ...readFile(text), name: `${at}` }));
    for (const file of files) {
      for (const check of checksOf(file, recall(file.table, file.deal))) await check.run();
    }
    follow(files);
    return "";
  } catch (error) {
    return error.message;
  }
}"""
JUDGE = """async (texts) => {
  const { readFile } = await import("/static/js/deal_file.js");
  const { checksOf } = await import("/static/js/fair_deal.js");
  const verdicts = [];
  for (const text of texts) {
    try {
      for (const check of checksOf(readFile(text))) await check.run();
      verdicts.push("");
    } catch (error) {
      verdicts.push(error.message);
    }
  }
  return verdicts;
}"""


@pytest.fixture
def judge(page: Page) -> Any:
    page.goto("/verify/")
    return lambda texts: page.evaluate(JUDGE, texts)


def thirteen() -> list[tuple[str, Rules]]:
    return [(name, rules) for name, rules in sorted(PROFILES.items()) if rules.family == "thirteen"]


def files() -> list[History]:
    """Return whole deals of every profile, with two to all players and up to two client seeds."""
    return [
        played(seed * 7 + players, name, players)
        for seed, (name, rules) in enumerate(thirteen())
        for players in (2, rules.players_max)
    ]


def dealt_by_the_command_line(name: str, number: int) -> History:
    """Return a deal played by practice bots."""
    shown = io.StringIO()
    seed = random.Random(number).randbytes(32).hex()
    with redirect_stdout(shown):
        main(["deal", "--profile", name, "--players", "2", "--seed", seed])
    return loads(shown.getvalue())


@pytest.mark.extended
def test_whole_deals_of_every_profile_are_verified(judge: Any) -> None:
    shows = [dealt_by_the_command_line(name, at) for at, (name, _) in enumerate(thirteen())]
    histories = [*files(), *shows]

    verdicts = judge([dumps(history) for history in histories])

    assert verdicts == [""] * len(histories)
    endings = {history.end.ending for history in histories}
    assert endings == {"show", "last_standing", "exhausted"}
    assert any(history.end.reshuffles for history in histories)
    assert {len(history.client_seeds) for history in histories} == {0, 1, 2}


@pytest.mark.extended
def test_changed_card_or_seed_is_found_on_every_line(judge: Any) -> None:
    text = dumps(next(history for history in files() if history.end.reshuffles))
    lines = text.splitlines()
    opening = range(lines.index("[shuffle]") + 2, lines.index("[moves]"))
    discards = [at for at, line in enumerate(lines) if " x " in line]
    chosen = [*opening, *random.Random(5).sample(discards, 12)]
    lies = []
    for at in chosen:
        lie = _changed(lines[at])
        if lie == lines[at]:
            continue
        text = "\n".join([*lines[:at], lie, *lines[at + 1 :]])
        with pytest.raises(HistoryError):
            loads(text)
        lies.append(text)

    verdicts = judge(lies)

    assert len(lies) > 15
    assert all(verdicts), verdicts


def _changed(line: str) -> str:
    """Change the line's last card or digit into another one."""
    if line.endswith(tuple("CDHS")):
        return line[:-1] + {"C": "D", "D": "H", "H": "S", "S": "C"}[line[-1]]
    if line.endswith(tuple("0123456789abcdef")):
        return line[:-1] + ("1" if line[-1] == "0" else "0")
    return line


def of_straight_rummy(number: int) -> History:
    """Return a whole deal with random house rules, missed turns and leaving players."""
    rng = random.Random(number)
    rules, players, seed = random_rules(rng), 2 + number % 5, rng.randbytes(32)
    stream = Stream(seed, ["mine"])
    _, stream = toss(stream, players)
    deal = straight.start(rules, players=players, stream=stream)
    moves = tuple(move for move, _ in random_play(deal, rng))
    return History(rules, players, seed, ("mine",), has_toss=True, moves=moves)


@pytest.mark.extended
def test_straight_rummy_deals_are_verified_and_changes_found(judge: Any) -> None:
    histories = [of_straight_rummy(number) for number in range(40)]
    texts = [dumps(history) for history in histories]

    assert judge(texts) == [""] * len(texts)
    endings = {history.end.ending for history in histories}
    assert endings == {"out", "exhausted", "too_long", "last_standing"}
    assert {history.end.refills for history in histories} >= {0, 1}
    lies = []
    for text in texts:
        lines = text.splitlines()
        laid = [at for at, line in enumerate(lines) if " x " in line or line.startswith("stock")]
        at = random.Random(5).choice(laid)
        lies.append("\n".join([*lines[:at], _changed(lines[at]), *lines[at + 1 :]]))
    assert all(judge(lies))


@pytest.mark.extended
def test_browser_refuses_the_same_tampering_as_the_command_line(page: Page) -> None:
    page.goto("/verify/")
    seen = [line.split() for line in honest()[SEEN].splitlines()[1:]]
    verdicts = {}
    for kind, (tamper, _) in KINDS.items():
        files = honest()
        tamper(files)
        shown = [line.split() for line in files.pop(SEEN).splitlines()[1:]]
        page.evaluate("localStorage.clear()")
        verdicts[kind] = page.evaluate(CHAIN, [list(files.values()), shown])

    page.evaluate("localStorage.clear()")
    assert (
        page.evaluate(CHAIN, [[text for name, text in honest().items() if name != SEEN], seen])
        == ""
    )
    # The browser counts no points, but the last head binds those that were published.
    assert [kind for kind, said in verdicts.items() if not said] == []
