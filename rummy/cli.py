"""The command line: `python -m rummy --help`."""

from __future__ import annotations

import argparse
import json
import secrets
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Final

from rummy import bots
from rummy.answers import ANSWERS, DEFAULT_PROFILE, refusal
from rummy.errors import RummyError
from rummy.history import History, dumps, load
from rummy.moves import Move, parse_move
from rummy.position import format_position
from rummy.profiles import PROFILES, profile
from rummy.rules import LONGEST_NUMBER
from rummy.shuffle import SEED_BYTES, Stream, toss
from rummy.thirteen import apply, legal_moves, start, status, view

REFUSED: Final = 1
LONGEST_DEAL: Final = 2_000


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code: 0, or 1 where the question was refused."""
    options = _parser().parse_args(arguments)
    batch = getattr(options, "jsonl", False)
    lines = _batch(options.command, sys.stdin) if batch else _COMMANDS[options.command](options)
    try:
        for line in lines:
            sys.stdout.write(f"{line}\n")
    except RummyError as error:
        if options.json:
            sys.stdout.write(f"{json.dumps(refusal(error))}\n")
        else:
            sys.stderr.write(f"{error.code}: {error.message}\n")
        return REFUSED
    return 0


def _batch(command: str, lines: Iterable[str]) -> Iterator[str]:
    """Answer one JSON object a line; a bad line is refused by itself and the batch goes on."""
    for line in lines:
        if line.strip():
            yield json.dumps(_answer_line(command, line))


def _answer_line(command: str, line: str) -> dict[str, Any]:
    try:
        query = json.loads(line)
    except (ValueError, RecursionError):
        return {"error": "bad_json", "message": "the line is not JSON"}
    if not isinstance(query, dict):
        return {"error": "bad_json", "message": "the line is not a JSON object"}
    try:
        return ANSWERS[command](query)
    except RummyError as error:
        return refusal(error)


def _ask(options: argparse.Namespace) -> Iterator[str]:
    """Answer one question given as options."""
    query: dict[str, Any] = {
        name: value
        for name in _FIELDS[options.command]
        if (value := getattr(options, name)) is not None
    }
    overrides = dict(_override(word) for word in getattr(options, "set", None) or [])
    if overrides:
        query["rules"] = overrides
    answer = ANSWERS[options.command](query)
    yield from [json.dumps(answer)] if options.json else _read_aloud(answer)


def _override(word: str) -> tuple[str, Any]:
    """Read `field=value`; none, yes, no and whole numbers are what they say."""
    name, _, value = word.partition("=")
    words: dict[str, Any] = {"none": None, "yes": True, "no": False}
    if value in words and not (name == "life_of_four" and value == "none"):
        return name, words[value]
    is_number = value.isascii() and value.isdigit() and len(value) < LONGEST_NUMBER
    return name, int(value) if is_number else value


def _read_aloud(answer: dict[str, Any]) -> Iterator[str]:
    for name, value in answer.items():
        if name == "groups":
            for group in value:
                reasons = ", ".join(group.get("reasons", ()))
                yield f"  {group['cards']}  {group['kind'] or 'nothing: ' + reasons}"
        elif isinstance(value, list):
            yield f"{name}: {', '.join(map(str, value)) or '-'}"
        elif isinstance(value, bool):
            yield f"{name}: {'yes' if value else 'no'}"
        else:
            yield f"{name}: {'-' if value in (None, '') else value}"


def _deal(options: argparse.Namespace) -> Iterator[str]:
    """Deal from a seed and let practice players finish the deal: a history file."""
    try:
        seed = bytes.fromhex(options.seed) if options.seed else secrets.token_bytes(SEED_BYTES)
    except ValueError:
        raise RummyError("bad_seed", f"a seed is {2 * SEED_BYTES} hex digits") from None
    rules = profile(options.profile)
    _, stream = toss(Stream(seed, options.client_seed or ()), options.players)
    deal = start(rules, players=options.players, stream=stream)
    moves: list[Move] = []
    while status(deal).phase != "ended" and len(moves) < LONGEST_DEAL:
        now = status(deal)
        position = now.to_act or min(now.waiting)
        action = bots.choose(view(deal, position), legal_moves(deal, position))
        moves.append(parse_move(f"p{position} {action}"))
        deal = apply(deal, moves[-1])
    history = History(
        rules, options.players, seed, tuple(options.client_seed or ()), True, "", tuple(moves)
    )
    text = dumps(history)
    yield json.dumps({"history": text}) if options.json else text.rstrip("\n")


def _replay(options: argparse.Namespace) -> Iterator[str]:
    """Print every position of a history file with the move that led to it."""
    history = load(options.file)
    for move, deal in zip(("", *map(str, history.moves)), history, strict=True):
        line = format_position(deal)
        yield json.dumps({"move": move, "position": line}) if options.json else f"{move}\n  {line}"


def _verify(options: argparse.Namespace) -> Iterator[str]:
    """Compute a history file again: commitment, chain, toss, shuffle, every move and score."""
    history = load(options.file)
    facts = {
        "verified": True,
        "commitment": history.commitment,
        "chain": history.chain,
        "players": history.players,
        "moves": len(history.moves),
        "ended": history.end.phase == "ended",
    }
    yield from [json.dumps(facts)] if options.json else _read_aloud(facts)


_FIELDS: Final = {
    "score": ("hand", "wild", "profile"),
    "declare": ("groups", "held", "wild", "profile"),
    "split": ("profile", "scores", "started", "entries", "entry", "rake_bps"),
    "rejoin": ("profile", "scores", "started"),
    "payout": ("points", "value", "entries", "entry", "rake_bps"),
}
_COMMANDS: Final[dict[str, Callable[[argparse.Namespace], Iterator[str]]]] = {
    **dict.fromkeys(ANSWERS, _ask),
    "deal": _deal,
    "replay": _replay,
    "verify": _verify,
}


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m rummy", description="Indian rummy: score, judge, share, deal and verify."
    )
    commands = parser.add_subparsers(dest="command", required=True)
    _add_cards(commands)
    _add_money(commands)
    _add_deals(commands)
    return parser


def _command(commands: Any, name: str, about: str, *, batch: bool = True) -> Any:
    command = commands.add_parser(name, help=about, description=about)
    command.add_argument("--json", action="store_true", help="answer in JSON")
    if batch:
        command.add_argument(
            "--jsonl", action="store_true", help="answer JSON lines from standard input"
        )
    return command


def _add_rules(command: Any) -> None:
    command.add_argument("--profile", default=None, help=f"one of {', '.join(PROFILES)}")
    command.add_argument("--set", action="append", metavar="FIELD=VALUE", help="change one rule")


def _add_cards(commands: Any) -> None:
    score = _command(commands, "score", "the least points of a hand, and how to lay it")
    score.add_argument("hand", nargs="?", help="cards in one text: '5H 6H 7H KD PJ'")
    score.add_argument("--wild", help="the wild rank or card: 7, 7H, PJ")
    _add_rules(score)
    declare = _command(commands, "declare", "whether groups are a valid declaration")
    declare.add_argument("groups", nargs="?", help="groups in one text: '5H 6H 7H | KD KS KC'")
    declare.add_argument("--held", help="the 13 cards held besides the finish card")
    declare.add_argument("--wild", help="the wild rank or card: 7, 7H, PJ")
    _add_rules(declare)


def _scores(text: str) -> list[int]:
    return [int(word) for word in text.replace(",", " ").split()]


def _add_money(commands: Any) -> None:
    split = _command(commands, "split", "the shares of a split pool")
    rejoin = _command(commands, "rejoin", "whether and at which score a pool may be rejoined")
    payout = _command(commands, "payout", "a deal of points rummy in money, or a pool's prize")
    for command in (split, rejoin):
        command.add_argument("--scores", type=_scores, help="totals of the survivors: 20,55,92")
        command.add_argument("--started", type=int, help="seats in deal 1")
        _add_rules(command)
    payout.add_argument("--points", type=_scores, help="points of every position, the winner's 0")
    payout.add_argument("--value", type=int, help="minor units a point")
    for command in (split, payout):
        command.add_argument("--entries", type=int, help="entries paid, rejoins included")
        command.add_argument("--entry", type=int, help="one entry in minor units")
        command.add_argument("--rake-bps", type=int, help="the house's part in basis points")


def _add_deals(commands: Any) -> None:
    deal = _command(commands, "deal", "deal and play by practice players", batch=False)
    deal.add_argument("--profile", default=DEFAULT_PROFILE, help=f"one of {', '.join(PROFILES)}")
    deal.add_argument("--players", type=int, default=2)
    deal.add_argument("--seed", help="the server seed in hex; a fresh one by default")
    deal.add_argument("--client-seed", action="append", help="a seat's own seed, in seat order")
    for name, about in (
        ("replay", "print every position of a history file"),
        ("verify", "compute a history file again and say where it lies"),
    ):
        command = _command(commands, name, about, batch=False)
        command.add_argument("file", help="a history file")
