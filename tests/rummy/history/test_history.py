"""RB 12.3: history files are read back, and changed ones are refused."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rummy import PROFILES, History, HistoryError, parse_move
from rummy.command_line.records import deal
from rummy.history.files import dump, dumps, load, loads
from tests.builders.cards.histories import played
from tests.builders.cards.misprints import misprinted


@settings(max_examples=15, deadline=None)
@given(st.integers(0, 2**32), st.sampled_from(sorted(PROFILES)), st.integers(2, 5))
def test_histories_read_back_and_replay_equals_play(seed: int, name: str, players: int) -> None:
    history = played(seed, name, players)

    again = loads(dumps(history))

    assert again == history
    assert again.end == history.end
    assert len(list(again)) == len(history.moves) + 1


def test_a_file_survives_the_disk_comments_and_empty_lines(tmp_path: Path) -> None:
    history = played(5)
    file = tmp_path / "deal.txt"

    dump(history, file)
    file.write_text("# note\n\n" + file.read_text().replace("[moves]", "[moves]\n# here\n"))
    assert load(file) == history

    # Line ends and the BOM that other editors write.
    file.write_bytes(b"\xef\xbb\xbf" + dumps(history).replace("\n", "\r\n").encode())
    assert load(file) == history


TAMPERED = [
    ("server seed: ", "server seed: 00", "bad_file"),
    ("commitment: ", "commitment: 0", "tampered"),
    ("p1: ", "p1: 2C ", "tampered"),
    ("cap: 80", "cap: 70", "tampered"),
    ("ending: ", "ending: not ", "tampered"),
    ("[cards]", "[card]", "bad_file"),
    ("rummy deal 2", "rummy deal 3", "bad_file"),
    ("name: ", "nome: ", "bad_rules"),
    ("\np1 ds\n", "\np2 ds\n", "illegal_move"),
    ("\np1 ds\n", "\np1 fly\n", "bad_move"),
]
UNREADABLE = [
    ("chain before: none", "chain before: \u00e9", "tampered"),
    ("chain before: none", f"chain before: {'G' * 64}", "tampered"),
    ('client seed: "mine"', 'client seed: "\\ud800"', "bad_file"),
    ('client seed: "mine"', f"client seed: {'[' * 100_000}", "bad_file"),
    ('client seed: "mine"', 'client seed: "1"\nclient seed: "2"\nclient seed: "3"', "bad_file"),
    ("players: 3", f"players: {'9' * 5000}", "bad_file"),
    ("players: 3", "players: 0", "bad_file"),
    ("players: 3", "players: \u0663", "tampered"),
    ("cap: 80", f"cap: {'9' * 5000}", "bad_rules"),
    ("[rules]", "[[rules]]", "bad_file"),
    ("[result]", f"[result]\n{'x' * 200_000}", "bad_file"),
]


@pytest.mark.parametrize(
    ("find", "put", "code", "is_shown"),
    [*((*row, False) for row in TAMPERED), *((*row, True) for row in UNREADABLE)],
)
def test_a_changed_file_is_refused_by_code_and_names_the_place(
    find: str, put: str, code: str, is_shown: bool
) -> None:
    text = dumps(shown_with_seeds() if is_shown else lost_by_the_cap())
    assert find in text

    with pytest.raises(HistoryError) as refusal:
        loads(text.replace(find, put, 1))

    assert refusal.value.code == code
    assert is_shown or any(word in str(refusal.value) for word in ("line ", "in ["))


@pytest.mark.parametrize(
    ("put", "why"),
    [
        ("cup: 80", "line {}: no rule is called 'cup'"),
        ("cap: many", "^line {}, in .rules.: the rule 'cap' is"),
        ("cap: 0", "^line {}, in .rules.: the rule 'cap' is"),
        ("cap: 080", "^line {}, in .rules.: the rule 'cap' is"),
    ],
)
def test_a_wrong_rule_is_named_by_its_line_in_the_file(put: str, why: str) -> None:
    text = dumps(shown_with_seeds())
    line = text.splitlines().index("cap: 80") + 1

    with pytest.raises(HistoryError, match=why.format(line)):
        loads(text.replace("cap: 80", put))


def lost_by_the_cap() -> History:
    """Three seats: one shows wrong and loses the cap, one drops."""
    history = played(6)
    hand = history.start.seats[0].hand
    show = f"p1 show {hand[0]} {hand[1]} {hand[2]} x {hand[3]}"
    moves = tuple(map(parse_move, ("p1 ds", show, "p2 drop")))
    return History(history.rules, 3, history.server_seed, (), True, "", moves)


@pytest.mark.parametrize("seed", [6, 7])
def test_no_line_is_lost_doubled_or_changed_unseen(seed: int) -> None:
    lines = dumps(lost_by_the_cap() if seed == 6 else shown_with_seeds()).splitlines()
    telling = lines.index("[shuffle]")

    for place, line in enumerate(lines):
        if not line:
            continue
        lies = [[], [line, line], [f"{line}\0"], [line.translate(NEXT_DIGIT)]]
        for lie in lies:
            changed = [*lines[:place], *lie, *lines[place + 1 :]]
            if changed == lines or (place < telling and lie is lies[-1]):
                continue  # Other rules may give the same deal; `verify` says which they are.
            with pytest.raises(HistoryError) as refusal:
                loads("\n".join(changed))
            assert refusal.value.code != "no_file"


NEXT_DIGIT = str.maketrans("0123456789", "1234567890")


def shown_with_seeds() -> History:
    """A deal that practice players finish with a show, two of three seats giving seeds."""
    asked = {"seed": "11" * 32, "players": 3, "client_seeds": ["mine", 'the "other"']}
    return loads(str(deal(asked)["history"]))


def test_a_file_cut_off_anywhere_is_refused() -> None:
    text = dumps(shown_with_seeds()).rstrip("\n")

    for end in range(0, len(text), 7):
        with pytest.raises(HistoryError):
            loads(text[:end])


def test_a_file_without_end_is_not_read_to_its_end() -> None:
    with pytest.raises(HistoryError) as refusal:
        load("/dev/zero")

    assert refusal.value.code == "bad_file"


@pytest.mark.extended
@given(st.text(max_size=300))
def test_any_text_parses_as_a_history_or_raises(text: str) -> None:
    with pytest.raises(HistoryError):
        loads("rummy deal 2\n" + text)


@given(st.integers(0, 2**32), st.data())
@settings(max_examples=30, deadline=None)
def test_a_file_with_one_character_changed_is_the_same_deal_or_refused(
    seed: int, data: st.DataObject
) -> None:
    text = misprinted(dumps(played(seed % 5)), "0pA# \n:[", data)

    try:
        read = loads(text)
    except HistoryError:
        return
    assert dumps(read).count("\n") > 0


def test_a_missing_file_is_refused_without_a_traceback(tmp_path: Path) -> None:
    with pytest.raises(HistoryError) as refusal:
        load(tmp_path / "nowhere.txt")
    assert refusal.value.code == "no_file"
    (tmp_path / "bytes").write_bytes(b"\xff\xfe")
    with pytest.raises(HistoryError):
        load(tmp_path / "bytes")
    with pytest.raises(HistoryError):
        load("no\0name")
