"""History files (RB 12.3): a finished deal as text that can be replayed.

A file has sections in square brackets: [rules] has the text of the rules, [shuffle] the seeds and
their published values, [moves] the log. [cards] and [result] follow from these and are for readers.
Reading a file recomputes all sections and raises `HistoryError` with the first wrong line. Empty
lines and lines that begin with `#` are ignored. Files of format 1 have no hash of the rules and no
heads: their rules and moves are not bound to the commitment.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from itertools import accumulate
from pathlib import Path
from typing import Final

from rummy.errors import HistoryError, RummyError
from rummy.families import AnyDeal, AnyFamily, AnyRules, family_of, rules_from_text
from rummy.history import heads
from rummy.notation.cards import Card, format_cards
from rummy.notation.moves import Move, parse_move
from rummy.notation.shuffle import HASH, Stream, chained, commitment, toss

FORMAT: Final = 2
FIRST_LINES: Final = {"rummy deal 1": 1, "rummy deal 2": FORMAT}
SECTIONS: Final = ("rules", "shuffle", "cards", "moves", "result")
LONGEST_FILE: Final = 200_000
BYTE_ORDER_MARK: Final = "\ufeff"
"""The byte order mark that some editors add."""


@dataclass(frozen=True)
class History:
    """The data that determines a deal; iterating yields its positions from the start to the end.

    >>> from rummy import Rules
    >>> rules = Rules(name="kitchen")
    >>> history = History(rules, 2, bytes(32), moves=(parse_move("p1 drop"),))
    >>> [deal.phase for deal in history]
    ['playing', 'ended']
    >>> loads(dumps(history)) == history
    True
    """

    rules: AnyRules
    players: int
    server_seed: bytes = field(repr=False)
    client_seeds: tuple[str, ...] = ()
    has_toss: bool = False
    """Whether this deal's stream began with the toss (RB 5.1)."""
    chain_before: str = ""
    moves: tuple[Move, ...] = ()
    head_before: str = ""
    """The last head of the table's deal before this one."""
    redrawn: tuple[str, ...] = ()
    """The commitments given up before this one, because a seat withheld its share."""
    format: int = FORMAT

    @cached_property
    def rules_sha256(self) -> str:
        """The hash of the rules in the commitment; empty in format 1."""
        return heads.rules_sha256(self.rules) if self.is_bound else ""

    @property
    def is_bound(self) -> bool:
        """Whether the commitment binds the rules, and the heads bind the moves."""
        return self.format >= FORMAT

    @cached_property
    def commitment(self) -> str:
        return commitment(self.server_seed, self.rules_sha256)

    @cached_property
    def chain(self) -> str:
        return chained(self.commitment, self.chain_before, self.head_before, self.redrawn)

    @cached_property
    def heads(self) -> tuple[str, ...]:
        """The head of the deal as dealt, and after each move."""
        first = heads.first_head(
            self.server_seed,
            chain=self.chain,
            players=self.players,
            toss=format_cards(self.tossed),
            client_seeds=self.client_seeds,
        )
        seed = self.server_seed
        later = accumulate(
            self.moves, lambda head, move: heads.next_head(seed, head, move), initial=first
        )
        return tuple(later)

    @cached_property
    def last_head(self) -> str:
        """The head after the last move that also binds the result; empty in format 1."""
        if not self.is_bound:
            return ""
        result = self.family.result_lines(self.end)
        return heads.last_head(self.server_seed, self.heads[-1], result)

    @property
    def family(self) -> AnyFamily:
        """The family of the deal's rules."""
        return family_of(self.rules)

    @cached_property
    def _opening(self) -> tuple[tuple[Card, ...], AnyDeal]:
        stream, tossed = Stream(self.server_seed, self.client_seeds), ()
        cards: tuple[Card, ...] = tossed
        if self.has_toss:
            cards, stream = toss(stream, self.players)
        return cards, self.family.start(self.rules, players=self.players, stream=stream)

    @property
    def tossed(self) -> tuple[Card, ...]:
        """The cards of the toss, in the order the seats drew them."""
        return self._opening[0]

    @property
    def start(self) -> AnyDeal:
        """The deal before the first move."""
        return self._opening[1]

    @cached_property
    def end(self) -> AnyDeal:
        """The deal after the last move."""
        *_, last = self
        return last

    def __iter__(self) -> Iterator[AnyDeal]:
        deal = self.start
        yield deal
        for move in self.moves:
            deal = self.family.apply(deal, move)
            yield deal


def dumps(history: History) -> str:
    """Return the text of a history file.

    >>> from rummy import Rules
    >>> dumps(History(Rules(name="kitchen"), 2, bytes(32))).splitlines()[:4]
    ['rummy deal 2', '', '[rules]', 'name: kitchen']
    """
    deal = history.start
    lines = [
        f"rummy deal {history.format}",
        "",
        "[rules]",
        *history.rules.to_text().splitlines(),
        "",
        "[shuffle]",
    ]
    lines += _shuffle_lines(history)
    family = history.family
    lines += ["", "[cards]", *family.opening_lines(deal), "", "[moves]", *map(str, history.moves)]
    lines += ["", "[result]", *_result_lines(history)]
    return "\n".join(lines) + "\n"


def dump(history: History, path: Path | str) -> None:
    """Write a history file.

    >>> import tempfile
    >>> from rummy import Rules
    >>> history = History(Rules(name="kitchen"), 2, bytes(32), moves=(parse_move("p1 drop"),))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     dump(history, f"{folder}/deal.txt")
    ...     load(f"{folder}/deal.txt") == history
    True
    """
    Path(path).write_text(dumps(history), encoding="utf-8")


def load(path: Path | str) -> History:
    """Read and verify a history file.

    >>> load("/no/such/file")
    Traceback (most recent call last):
    ...
    rummy.errors.HistoryError: /no/such/file: No such file or directory
    """
    return loads(read_text(path))


def read_text(path: Path | str) -> str:
    """Return the text of a file, of one more character than allowed at most.

    >>> read_text("no-such-file.txt")
    Traceback (most recent call last):
    ...
    rummy.errors.HistoryError: no-such-file.txt: No such file or directory
    """
    try:
        with Path(path).open(encoding="utf-8") as file:
            return file.read(LONGEST_FILE + 1)
    except OSError as error:
        raise HistoryError("no_file", f"{path}: {error.strerror}") from error
    except UnicodeDecodeError:
        raise HistoryError("bad_file", f"{path} is not UTF-8 text") from None
    except ValueError:
        raise HistoryError("no_file", f"{str(path)!r} is no name of a file") from None


def _shuffle_lines(history: History) -> list[str]:
    is_bound = history.is_bound
    lines = [
        f"players: {history.players}",
        *([f"rules sha256: {history.rules_sha256}"] if is_bound else []),
        f"server seed: {history.server_seed.hex()}",
        f"commitment: {history.commitment}",
        f"chain before: {history.chain_before or 'none'}",
        *([f"head before: {history.head_before or 'none'}"] if is_bound else []),
        *(f"redrawn: {given_up}" for given_up in history.redrawn),
        f"chain: {history.chain}",
    ]
    lines += [f"client seed: {json.dumps(seed)}" for seed in history.client_seeds]
    lines.append(f"toss: {format_cards(history.tossed) if history.has_toss else 'none'}")
    if is_bound:
        lines.append(f"first head: {history.heads[0]}")
    return lines


def _result_lines(history: History) -> list[str]:
    lines = history.family.result_lines(history.end)
    return [f"last head: {history.last_head}", *lines] if history.is_bound else lines


Lines = dict[str, list[tuple[int, str]]]


def loads(text: str) -> History:
    """Parse and verify a history file; raise `HistoryError` for the first wrong line.

    >>> from rummy import Rules
    >>> file = dumps(History(Rules(name="kitchen"), 2, bytes(32), moves=(parse_move("p1 drop"),)))
    >>> loads(file.replace("p1: 20 first_drop", "p1: 10 first_drop"))
    Traceback (most recent call last):
    ...
    rummy.errors.HistoryError: line ...: 'p1: 10 first_drop' should read 'p1: 20 first_drop'
    """
    form, sections = _sections(text)
    rules = _read_rules(sections["rules"])
    history = _read_shuffle(sections["shuffle"], rules, _read_moves(sections["moves"]), form)
    opening = history.family.opening_lines(_opened(history))
    _compare(sections["shuffle"], _shuffle_lines(history), "shuffle")
    _compare(sections["cards"], opening, "cards")
    object.__setattr__(history, "end", _played(history, sections["moves"]))  # Played once.
    _compare(sections["result"], _result_lines(history), "result")
    return history


def _sections(text: str) -> tuple[int, Lines]:
    """Return the format, and the sections' numbered lines without empty lines and comments."""
    if len(text) > LONGEST_FILE:
        raise HistoryError("bad_file", f"a history file has at most {LONGEST_FILE} characters")
    sections: Lines = {}
    section: list[tuple[int, str]] | None = None
    form = 0
    for number, raw in enumerate(text.removeprefix(BYTE_ORDER_MARK).splitlines(), start=1):
        line = raw.strip()
        if not line or line.startswith("#"):
            continue
        if not form:
            if line not in FIRST_LINES:
                first = f"rummy deal {FORMAT}"
                raise HistoryError("bad_file", f"line {number}: a file opens with {first!r}")
            form = FIRST_LINES[line]
        elif line.startswith("["):
            name = line.removeprefix("[").removesuffix("]")
            if line != f"[{name}]" or name not in SECTIONS or name in sections:
                raise HistoryError("bad_file", f"line {number}: no section {line!r} belongs here")
            section = sections.setdefault(name, [])
        elif section is None:
            raise HistoryError("bad_file", f"line {number}: {line!r} is outside a section")
        else:
            section.append((number, line))
    missing = [name for name in SECTIONS if name not in sections]
    if missing:
        raise HistoryError("bad_file", f"the section [{missing[0]}] is missing")
    return form, sections


def _read_rules(lines: list[tuple[int, str]]) -> AnyRules:
    """Parse the rules; errors name the line of the file."""
    rows = [""] * lines[-1][0] if lines else []
    for number, line in lines:
        rows[number - 1] = line
    try:
        return rules_from_text("\n".join(rows))
    except RummyError as error:
        fields = [(number, line.partition(":")[0].strip()) for number, line in lines]
        named = [number for number, field in fields if f"the rule {field!r} is" in error.message]
        where = f"line {named[0]}, in" if named else "in"
        named_already = error.message.startswith("line ")
        sentence = error.message if named_already else f"{where} [rules]: {error.message}"
        raise HistoryError("bad_rules", sentence) from error


def _read_moves(lines: list[tuple[int, str]]) -> tuple[Move, ...]:
    moves = []
    for number, line in lines:
        try:
            moves.append(parse_move(line))
        except RummyError as error:
            raise HistoryError("bad_move", f"line {number}: {error.message}") from error
    return tuple(moves)


def _read_shuffle(
    lines: list[tuple[int, str]], rules: AnyRules, moves: tuple[Move, ...], form: int
) -> History:
    """Parse the seeds; values derived from them are compared later."""
    values: dict[str, str] = {}
    seeds: list[str] = []
    redrawn: list[str] = []
    for number, line in lines:
        name, _, value = (part.strip() for part in line.partition(":"))
        if name == "client seed":
            seeds.append(_client_seed(number, value))
        elif name == "redrawn" and form >= FORMAT:
            redrawn.append(value)
        elif name in values:
            raise HistoryError("bad_file", f"line {number}: {name!r} is given twice")
        else:
            values[name] = value
    try:
        players, seed = int(values["players"]), bytes.fromhex(values["server seed"])
    except (KeyError, ValueError):
        sentence = "in [shuffle]: players or server seed cannot be read"
        raise HistoryError("bad_file", sentence) from None
    if len(seeds) > max(players, 0):
        raise HistoryError("bad_file", f"in [shuffle]: {players} seats, {len(seeds)} client seeds")
    # What is no hash is left out, and the comparison names its line.
    before, head = (values.get(name, "") for name in ("chain before", "head before"))
    return History(
        rules,
        players,
        seed,
        tuple(seeds),
        has_toss=values.get("toss") != "none",
        chain_before=before if HASH.fullmatch(before) else "",
        moves=moves,
        head_before=head if HASH.fullmatch(head) and form >= FORMAT else "",
        redrawn=tuple(filter(HASH.fullmatch, redrawn)),
        format=form,
    )


def _client_seed(number: int, text: str) -> str:
    try:
        seed = json.loads(text)
    except (ValueError, RecursionError):
        seed = None
    if not isinstance(seed, str):
        raise HistoryError("bad_file", f"line {number}: a client seed is a text in quotes")
    return seed


def _opened(history: History) -> AnyDeal:
    try:
        return history.start
    except RummyError as error:
        raise HistoryError("bad_file", f"in [shuffle]: {error.message}") from error


def _played(history: History, lines: list[tuple[int, str]]) -> AnyDeal:
    """Play the moves; raise `HistoryError` for an illegal one."""
    deal = history.start
    for (number, line), move in zip(lines, history.moves, strict=True):
        try:
            deal = history.family.apply(deal, move)
        except RummyError as error:
            sentence = f"line {number}: {line!r} cannot be played: {error.message}"
            raise HistoryError("illegal_move", sentence) from error
    return deal


def _compare(found: list[tuple[int, str]], expected: list[str], section: str) -> None:
    """Raise `HistoryError` for the first line that differs from the computed one."""
    for (number, line), wanted in zip(found, expected, strict=False):
        if line != wanted:
            raise HistoryError("tampered", f"line {number}: {line!r} should read {wanted!r}")
    if len(found) < len(expected):
        where = f"line {found[-1][0]}" if found else f"in [{section}]"
        lacking = f"the line {expected[len(found)]!r} is missing after it"
        raise HistoryError("tampered", f"{where}: {lacking}")
    if len(found) > len(expected):
        number, line = found[len(expected)]
        raise HistoryError("tampered", f"line {number}: {line!r} is one line too many")
