"""The command line: `python -m rummy --help`.

Every command calls a function of `rummy.command_line.answers`. Its fields are options or, with
`--jsonl`, lines of JSON on standard input; options beside `--jsonl` are defaults of every line.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Final

from rummy.command_line import numbers
from rummy.command_line.answers import ANSWERS, refusal
from rummy.command_line.questions import Answer, Query
from rummy.errors import NotationError, RummyError
from rummy.families import ALL_PROFILES
from rummy.history.files import BYTE_ORDER_MARK
from rummy.notation.house_rules import LONGEST_NUMBER

REFUSED: Final = 1
STDIN: Final = "-"
_WHOLE: Final = re.compile(r"-?\d{1,18}", re.ASCII)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code: 0, or 1 if the question was refused.

    >>> main(["score", "5H 6H 7H KD KS 2C", "--wild", "9"])
    points: 40
    raw_points: 40
    declarable: no
    deadwood: 2C KD 5H 6H 7H KS
    unmet: one_sequence_only
    0
    """
    options = _parser().parse_args(arguments)
    if options.command == "numbers":
        return numbers.main(options)
    try:
        query = _query(options)
        if options.jsonl:
            for line in _batch(options.command, query, sys.stdin or ()):
                sys.stdout.write(f"{line}\n")
                # Flush each line, because a calling program may wait for the answer.
                sys.stdout.flush()
            return 0
        answer = ANSWERS[options.command](query)
    except RummyError as error:
        if options.json:
            sys.stdout.write(f"{json.dumps(refusal(error))}\n")
        else:
            sys.stderr.write(f"{error.code}: {error.message}\n")
        return REFUSED
    for line in _print_json(answer) if options.json else _print_text(answer):
        sys.stdout.write(f"{line}\n")
    return 0


def _batch(command: str, query: Query, lines: Iterable[str]) -> Iterator[str]:
    """Answer one JSON object per line; a bad line is refused and the batch continues."""
    for number, raw in enumerate(lines):
        line = raw if number else raw.removeprefix(BYTE_ORDER_MARK)
        if line.strip():
            yield json.dumps(_answer_line(command, query, line))


def _answer_line(command: str, query: Query, line: str) -> Answer:
    try:
        return ANSWERS[command]({**query, **_read_line(line)})
    except RummyError as error:
        return refusal(error)


def _read_line(line: str) -> dict[str, Any]:
    try:
        found = json.loads(line, object_pairs_hook=_once)
    except RummyError:
        raise
    except (ValueError, RecursionError):
        raise NotationError("bad_json", "the line is not JSON") from None
    if not isinstance(found, dict):
        raise NotationError("bad_json", "the line is not a JSON object")
    return found


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Raise `NotationError` for an object with a duplicate name."""
    found: dict[str, Any] = {}
    for name, value in pairs:
        if name in found:
            raise NotationError("repeated_field", f"the field {name!r} is given twice")
        found[name] = value
    return found


def _query(options: argparse.Namespace) -> dict[str, Any]:
    """Return the fields given as options."""
    read = _FIELDS[options.command]
    given = {name: value for name in read if (value := getattr(options, name, None)) is not None}
    if isinstance(paths := given.pop("file", None), list) and len(paths) > 1:
        given["files"] = paths
    elif paths:
        given["file"] = paths[0] if isinstance(paths, list) else paths
    query = {name: read[name](name, value) for name, value in given.items()}
    if query.get("file") == STDIN:
        if options.jsonl:
            raise NotationError("bad_field", "standard input holds the lines, not the file")
        query["history"] = sys.stdin.read() if sys.stdin else ""
        del query["file"]
    overrides = _once([_override(word) for word in getattr(options, "set", None) or ()])
    return {**query, "rules": overrides} if overrides else query


def _as_given(_name: str, value: Any) -> Any:
    return value


def _whole(name: str, text: str) -> int:
    if not _WHOLE.fullmatch(text.strip()):
        raise NotationError("bad_field", f"the field {name!r} is a whole number, not {text!r}")
    return int(text)


def _wholes(name: str, text: str) -> list[int]:
    return [_whole(name, word) for word in text.replace(",", " ").split()]


def _override(word: str) -> tuple[str, Any]:
    """Parse `field=value`; none, yes, no and whole numbers are converted."""
    name, _, value = word.partition("=")
    words: dict[str, Any] = {"none": None, "yes": True, "no": False}
    if value in words and not (name == "life_of_four" and value == "none"):
        return name, words[value]
    is_number = _WHOLE.fullmatch(value) and len(value) < LONGEST_NUMBER
    return name, int(value) if is_number else value


def _print_json(answer: Answer) -> Iterator[str]:
    """Print an answer as one line, a replay as one line per position."""
    yield from map(json.dumps, answer.get("positions", (answer,)))


def _print_text(answer: Answer) -> Iterator[str]:
    for name, value in answer.items():
        if name == "history":
            yield value.rstrip("\n")
        elif name == "positions":
            for place in value:
                yield f"{place['move']}\n  {place['position']}"
        elif name == "groups":
            for group in value:
                reasons = ", ".join(group.get("reasons", ()))
                yield f"  {group['cards']}  {group['kind'] or 'nothing: ' + reasons}"
        elif isinstance(value, dict):
            yield f"{name}: {', '.join(f'{field}={one}' for field, one in value.items()) or '-'}"
        elif isinstance(value, list):
            yield f"{name}: {', '.join(map(str, value)) or '-'}"
        elif isinstance(value, bool):
            yield f"{name}: {'yes' if value else 'no'}"
        else:
            yield f"{name}: {'-' if value in (None, '') else value}"


Read = Callable[[str, Any], Any]
_TEXTS: Final = (
    "hand",
    "groups",
    "held",
    "wild",
    "profile",
    "seed",
    "client_seeds",
    "file",
    "files",
)
_WHOLES: Final = ("scores", "points")
_ASKED: Final = {
    "score": ("hand", "wild", "profile"),
    "declare": ("groups", "held", "wild", "profile"),
    "split": ("profile", "scores", "started", "entries", "entry", "rake_bps"),
    "rejoin": ("profile", "scores", "started"),
    "payout": ("profile", "points", "value", "entries", "entry", "rake_bps"),
    "deal": ("profile", "players", "seed", "client_seeds"),
    "replay": ("file",),
    "verify": ("file", "files"),
    "perft": ("profile", "players", "seed", "depth"),
}
_FIELDS: Final[dict[str, dict[str, Read]]] = {
    command: {
        name: _as_given if name in _TEXTS else _wholes if name in _WHOLES else _whole
        for name in names
    }
    for command, names in _ASKED.items()
}


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m rummy", description="Rummy: score, judge, share, deal and verify."
    )
    commands = parser.add_subparsers(dest="command", required=True)
    _add_cards(commands)
    _add_money(commands)
    _add_deals(commands)
    numbers.add(commands)
    return parser


def _command(commands: Any, name: str, about: str) -> Any:
    command = commands.add_parser(name, help=about, description=about, allow_abbrev=False)
    command.add_argument("--json", action="store_true", help="answer in JSON")
    command.add_argument(
        "--jsonl", action="store_true", help="answer lines of JSON from standard input"
    )
    return command


def _add_rules(command: Any) -> None:
    command.add_argument("--profile", help=f"one of {', '.join(ALL_PROFILES)}")
    command.add_argument("--set", action="append", metavar="FIELD=VALUE", help="change one rule")


def _add_cards(commands: Any) -> None:
    score = _command(commands, "score", "the points of a hand, and its best arrangement")
    score.add_argument("hand", nargs="?", help="cards in one text: '5H 6H 7H KD PJ'")
    score.add_argument("--wild", help="the wild rank or card: 7, 7H, PJ")
    _add_rules(score)
    declare = _command(commands, "declare", "whether groups are a valid declaration")
    declare.add_argument("groups", nargs="?", help="groups in one text: '5H 6H 7H | KD KS KC'")
    declare.add_argument("--held", help="the 13 cards held besides the finish card")
    declare.add_argument("--wild", help="the wild rank or card: 7, 7H, PJ")
    _add_rules(declare)


def _add_money(commands: Any) -> None:
    split = _command(commands, "split", "shares of a split pool")
    rejoin = _command(commands, "rejoin", "whether a pool may be rejoined, and at which score")
    payout = _command(commands, "payout", "payout of a deal of points rummy, or a pool's prize")
    for command in (split, rejoin):
        command.add_argument("--scores", help="totals of the survivors: 20,55,92")
        command.add_argument("--started", help="seats in deal 1")
    for command in (split, rejoin, payout):
        _add_rules(command)
    payout.add_argument("--points", help="points of every position, the winner's 0: 0,15,25")
    payout.add_argument("--value", help="minor units a point")
    for command in (split, payout):
        command.add_argument("--entries", help="entries paid, rejoins included")
        command.add_argument("--entry", help="one entry in minor units")
        command.add_argument("--rake-bps", help="the operator's rake in basis points")


def _add_deals(commands: Any) -> None:
    deal = _command(commands, "deal", "deal, let bots play, and print the history file")
    profiles = f"one of {', '.join(ALL_PROFILES)}"
    # No default, so that it does not override `--profile`.
    deal.add_argument("profile", nargs="?", default=argparse.SUPPRESS, help=profiles)
    deal.add_argument("--players", help="number of players, default 2")
    deal.add_argument("--seed", help="the server seed in hex; random by default")
    deal.add_argument(
        "--client-seed",
        dest="client_seeds",
        action="append",
        help="client seed of a seat, in seat order",
    )
    _add_rules(deal)
    perft = _command(commands, "perft", "count the sequences of legal moves from a deal")
    perft.add_argument("profile", nargs="?", help=profiles)
    perft.add_argument("--set", action="append", metavar="FIELD=VALUE", help="change one rule")
    perft.add_argument("--players", help="number of players, default 2")
    perft.add_argument("--seed", help="the server seed in hex, without leading zeros")
    perft.add_argument("--depth", help="how many moves")
    for name, about in (
        ("replay", "print every position of a history file"),
        ("verify", "verify a history file and report the first wrong line"),
    ):
        command = _command(commands, name, about)
        one = "a history file, - for standard input"
        many = f"{one}; or all files of a table, with the heads that a browser saw"
        is_many = name == "verify"
        command.add_argument("file", nargs="*" if is_many else "?", help=many if is_many else one)
