"""What the search of staff finds, by kind. Each kind has its permission, uses an index and is
limited.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from itertools import islice
from typing import Any, Final, cast

from django.conf import settings
from django.db.models import Model, Q, QuerySet
from django.urls import reverse
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import gettext as _

from players.accounts.models import User
from staff.cases.kinds import HELP_REQUESTS, WITHDRAWALS, Kind, kinds_of
from staff.search.terms import LETTERS_MIN, Term
from tables.models.seats import Seat
from tables.models.tables import Table
from tournaments.entries.models import Entry as TournamentEntry
from tournaments.planning.models import Tournament
from wallet.deposits.models import Deposit, GatewayEvent
from wallet.ledger.models import Account, Entry, Transfer
from wallet.ledger.money import as_money, as_text
from wallet.withdrawals.models import Withdrawal

SHOWN: Final = 8
# A search for somebody with more namesakes shows the people alone.
PEOPLE_FOLLOWED: Final = 3
# Names of tables have no index, and titles of cases are computed: only the newest are searched.
TABLES_SEARCHED: Final = 20_000
CASES_SEARCHED: Final = 200


@dataclass(frozen=True, slots=True)
class Hit:
    """One result: its name, what distinguishes it from others, and its page."""

    title: str
    note: str
    url: str


@dataclass(frozen=True, slots=True)
class Group:
    """The results of one kind; `more_url` lists all of them if there are more."""

    title: str
    hits: list[Hit]
    more_url: str = ""


@dataclass(slots=True)
class Search:
    """A search by one member of staff; `people` are the accounts that it found."""

    viewer: User
    term: Term
    people: list[User] = field(default_factory=list)

    def groups(self) -> list[Group]:
        """Return the groups with results that the viewer may see."""
        if self.viewer.has_perm("players.view_user"):
            self.people = list(people_of(self.term)[: SHOWN + 1])
        parts: tuple[tuple[str, Callable[[], Iterable[Group]]], ...] = (
            ("players.view_user", self._people),
            ("wallet.view_deposit", self._deposits),
            ("wallet.view_withdrawal", self._withdrawals),
            ("wallet.view_transfer", self._transfers),
            ("tables.view_table", self._tables),
            ("tournaments.view_tournament", self._tournaments),
            ("players.view_case", self._cases),
        )
        found = [
            group
            for permission, groups in parts
            if self.viewer.has_perm(permission)
            for group in groups()
        ]
        return [group for group in found if group.hits]

    @property
    def followed(self) -> list[User]:
        """Return the people whose payments, games and cases are shown too."""
        return self.people if len(self.people) <= PEOPLE_FOLLOWED else []

    def _people(self) -> Iterable[Group]:
        hits = [
            Hit(person.handle, _of_person(person), reverse("player-desk", args=[person.pk]))
            for person in self.people[:SHOWN]
        ]
        more = len(self.people) > SHOWN
        yield Group(_("People"), hits, self._all("players_user") if more else "")

    def _deposits(self) -> Iterable[Group]:
        rows = deposits_of(self.term, self.followed)
        yield self._group(
            _("Deposits"),
            rows,
            lambda row: (
                _("%(amount)s, %(status)s, %(reference)s")
                % {
                    "amount": _of_deposit(row),
                    "status": row.get_status_display(),
                    "reference": row.order_reference,
                }
            ),
            f"amount_minor__exact={self.term.amount}" if self.term.amount is not None else "",
        )

    def _withdrawals(self) -> Iterable[Group]:
        rows = withdrawals_of(self.term, self.followed)
        yield self._group(
            _("Withdrawals"), rows, lambda row: f"{as_text(row.amount)}, {row.get_status_display()}"
        )

    def _transfers(self) -> Iterable[Group]:
        hits = [
            Hit(f"{transfer.get_kind_display()}: {transfer.key}", note, _page(transfer))
            for transfer, note in transfers_of(self.term, self.followed)
        ]
        more = f"{_list('wallet_entry')}?{self._of_one}" if self._of_one else ""
        yield Group(_("Transfers"), hits, more)

    def _tables(self) -> Iterable[Group]:
        rows = tables_of(self.term, self.followed)
        notes = [f"{row.get_phase_display()}, {_moment(row)}" for row in rows]
        hits = [Hit(str(row), note, _page(row)) for row, note in zip(rows, notes, strict=True)]
        yield Group(_("Tables"), hits)

    def _tournaments(self) -> Iterable[Group]:
        rows = tournaments_of(self.term, self.followed)
        hits = [Hit(str(row), _of_tournament(row), _page(row)) for row in rows]
        yield Group(_("Tournaments"), hits)

    def _cases(self) -> Iterable[Group]:
        """Yield cases of the people found, by a visitor's address, and by their title."""
        for kind in kinds_of(self.viewer):
            found = {row.pk: row for row in self._of_people(kind)}
            found |= {row.pk: row for row in cases_titled(kind, self.viewer, self.term)}
            rows = sorted(found.values(), key=lambda row: -row.pk)[:SHOWN]
            hits = [
                Hit(kind.sentence(row), _day(getattr(row, kind.opened_at)), _case(kind.name, row))
                for row in rows
            ]
            yield Group(_("Cases: %(kind)s") % {"kind": kind.label}, hits)

    def _of_people(self, kind: Kind) -> Iterable[Any]:
        is_address = kind is HELP_REQUESTS and "@" in self.term.text
        if not kind.player or not (self.followed or is_address):
            return ()
        wanted = Q(**{f"{kind.player}__in": self.followed})
        if is_address:  # Of visitors.
            wanted |= Q(email=self.term.text.lower())
        rows = kind.rows(self.viewer).filter(wanted)
        return cast(Iterable[Any], rows.order_by("-pk")[:SHOWN])

    @property
    def _of_one(self) -> str:
        """Return the query that filters a list by the only person found; else ""."""
        return f"q={self.followed[0].public_id}" if len(self.followed) == 1 else ""

    def _group(
        self, title: str, rows: Sequence[Any], note: Callable[[Any], str], query: str = ""
    ) -> Group:
        """Return payments with a link to all of them, by `query` or the only person found."""
        query = query or self._of_one
        hits = [
            Hit(str(row.player), f"{note(row)}, {_moment(row)}", _page(row)) for row in rows[:SHOWN]
        ]
        is_cut = len(rows) > SHOWN and query
        model = type(rows[0])._meta.label_lower.replace(".", "_") if is_cut else ""
        return Group(title, hits, f"{_list(model)}?{query}" if is_cut else "")

    def _all(self, model: str) -> str:
        return f"{_list(model)}?q={self.term.text}"


def people_of(term: Term) -> QuerySet[User]:
    """Return accounts by the beginning of handle or e-mail address, short code or public id."""
    if term.public_id is not None:
        return User.objects.filter(public_id=term.public_id)
    if len(term.text) < LETTERS_MIN:  # An amount.
        return User.objects.none()
    found = User.objects.starting_with(term.text)
    if term.short_code is not None:
        found = found.union(User.objects.with_short_code(term.short_code))
    return found.order_by("handle")


def deposits_of(term: Term, people: Sequence[User]) -> list[Deposit]:
    """Return deposits by public id, order or payment reference, amount, or player."""
    rows = Deposit.objects.select_related("player").order_by("-pk")
    if term.public_id is not None:
        return list(rows.filter(public_id=term.public_id))
    if term.amount is not None:
        return list(rows.of_amount(term.amount)[: SHOWN + 1])
    if people:
        return list(rows.filter(player__in=people)[: SHOWN + 1])
    of_gateways = {"provider__in": list(settings.GATEWAYS)}
    events = GatewayEvent.objects.filter(**of_gateways, payment_reference=term.text).order_by()
    orders = {term.text, *events.values_list("order_reference", flat=True)[:SHOWN]} - {""}
    return list(rows.filter(**of_gateways, order_reference__in=orders)[:SHOWN])


def withdrawals_of(term: Term, people: Sequence[User]) -> list[Withdrawal]:
    """Return withdrawals by public id, bank reference, amount, or player."""
    rows = Withdrawal.objects.select_related("player").order_by("-pk")
    if term.public_id is not None:
        return list(rows.filter(public_id=term.public_id))
    if term.amount is not None:
        return list(rows.of_amount(term.amount)[: SHOWN + 1])
    if people:
        return list(rows.filter(player__in=people)[: SHOWN + 1])
    reference = term.text.upper().replace(" ", "")
    return [
        row
        for currency in settings.CASH_CURRENCIES
        for row in rows.paid_under(reference, currency=currency)[:SHOWN]
    ]


def transfers_of(term: Term, people: Sequence[User]) -> list[tuple[Transfer, str]]:
    """Return transfers by public id or key, or the last ones of a player, with a note."""
    if not people:
        one = Q(public_id=term.public_id) if term.public_id else Q(key=term.text)
        return [(row, _day(row.booked_on)) for row in Transfer.objects.filter(one)[:SHOWN]]
    # As a list of keys, so that the index of each account's entries is used.
    accounts = list(Account.objects.filter(player__in=people).values_list("pk", flat=True))
    entries = Entry.objects.filter(account__in=accounts)
    entries = entries.select_related("transfer", "account__player")
    return [
        (entry.transfer, f"{as_text(entry.amount)}, {entry.account}, {_day(entry.booked_on)}")
        for entry in entries.order_by("-pk")[:SHOWN]
    ]


def tables_of(term: Term, people: Sequence[User]) -> list[Table]:
    """Return tables by public id, name or the code in it, or the last ones of a player."""
    if term.public_id is not None:
        return list(Table.objects.filter(public_id=term.public_id))
    if term.game_code is not None and not people:
        return list(Table.objects.with_short_code(term.game_code).order_by("-pk")[:SHOWN])
    if not people and term.amount is not None:
        return []
    if not people:
        newest = Table.objects.order_by("-pk").values("pk")[:TABLES_SEARCHED]
        named = Table.objects.filter(pk__in=newest, name__icontains=term.text)
        return list(named.order_by("-pk")[:SHOWN])
    seats = Seat.objects.filter(player__in=people).select_related("table").order_by("-pk")
    return list({seat.table_id: seat.table for seat in seats[:SHOWN]}.values())


def cases_titled(kind: Kind, viewer: User, term: Term) -> list[Any]:
    """Return the newest cases whose title, in the viewer's language, has all words of the term.

    A withdrawal is a case only while it is late, so its closed ones are left out.
    """
    if term.amount is not None or term.public_id is not None:
        return []
    rows = kind.rows(viewer)
    if kind is WITHDRAWALS:
        rows = kind.open_rows(rows)
    words = term.text.casefold().split()
    newest = rows.order_by("-pk")[:CASES_SEARCHED]
    titled = (row for row in newest if _has_all(words, kind.sentence(row)))
    return list(islice(titled, SHOWN))


def _has_all(words: Sequence[str], title: str) -> bool:
    folded = title.casefold()
    return all(word in folded for word in words)


def tournaments_of(term: Term, people: Sequence[User]) -> list[Tournament]:
    """Return tournaments by public id, name or code, or the last ones that a player entered."""
    if term.public_id is not None:
        return list(Tournament.objects.filter(public_id=term.public_id))
    if people:
        entries = TournamentEntry.objects.filter(player__in=people).select_related("tournament")
        found = {entry.tournament_id: entry.tournament for entry in entries.order_by("-pk")[:SHOWN]}
        return list(found.values())
    wanted = Q(name__icontains=term.text)
    if term.game_code is not None:
        wanted |= Q(public_id__endswith=term.game_code)
    return list(Tournament.objects.filter(wanted).order_by("-pk")[:SHOWN])


def _of_person(person: User) -> str:
    tags = (
        (person.is_staff, _("staff")),
        (person.is_bot, _("bot")),
        (person.is_guest, _("guest")),
        (not person.is_active, _("blocked")),
    )
    shown = [person.email, person.short_code, *(text for applies, text in tags if applies)]
    return ", ".join(filter(None, shown))


def _of_tournament(tournament: Tournament) -> str:
    state, starts_at = tournament.get_state_display(), tournament.starts_at
    return f"{state}, {_day(starts_at)}" if starts_at else state


def _of_deposit(deposit: Deposit) -> str:
    """Return the amount credited, and the amount paid if it includes tax."""
    credited = as_text(deposit.amount)
    if not deposit.gst_minor:
        return credited
    paid = as_text(as_money(deposit.amount_minor + deposit.gst_minor, deposit.currency))
    return _("%(amount)s (paid %(paid)s)") % {"amount": credited, "paid": paid}


def _page(row: Model) -> str:
    return reverse(f"admin:{row._meta.app_label}_{row._meta.model_name}_change", args=[row.pk])


def _list(model: str) -> str:
    return reverse(f"admin:{model}_changelist")


def _case(kind: str, row: Model) -> str:
    return reverse("case", args=[kind, row.pk])


def _day(at: date) -> str:
    day = timezone.localdate(at) if isinstance(at, datetime) else at
    return date_format(day, "j M Y")


def _moment(row: Any) -> str:
    at = getattr(row, "requested_at", None) or row.created_at
    return date_format(timezone.localtime(at), "j M Y, H:i")
