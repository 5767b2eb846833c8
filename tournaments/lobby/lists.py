"""Lists of open, running and finished tournaments: filtered, paginated, with the viewer's state."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final, TypedDict, cast

from django.contrib.auth.models import AnonymousUser
from django.core import signing
from django.db.models import (
    Count,
    DateTimeField,
    Exists,
    F,
    OuterRef,
    Q,
    QuerySet,
    Subquery,
    Value,
)
from django.db.models.functions import Coalesce
from django.utils.translation import gettext_lazy as _

from core.clock import database_now
from core.text_validation import named
from players.accounts.models import User
from tables.models.templates import RuleProfile
from tables.state.rules import variant_of
from tournaments.entries.models import Entry
from tournaments.lobby.schemas import TournamentList, TournamentRow
from tournaments.planning.models import Tournament
from tournaments.planning.terms_models import KindName, StartRule
from tournaments.prizes.prize_pool import prize_minor
from wallet.ledger.amounts import Amount

if TYPE_CHECKING:
    from django_stubs_ext import WithAnnotations

    Listed = WithAnnotations[Tournament, "Counted"]

Viewer = User | AnonymousUser | None
ROWS_PER_PAGE: Final = 30
# Sorts sit-and-gos, which have no start time, last.
WITHOUT_HOUR: Final = datetime(9999, 12, 31, tzinfo=UTC)
# The formats to filter by: their labels and conditions.
KINDS: Final = {
    "": (_("All"), Q()),
    "scheduled": (_("Scheduled"), Q(start_rule=StartRule.SCHEDULED)),
    "sit_and_go": (_("Sit and go"), Q(start_rule=StartRule.WHEN_FULL)),
    "heads_up": (_("Heads-up"), Q(seats=2)),
    "satellite": (_("Satellites"), Q(awards__isnull=False)),
    "free": (_("Free entry"), Q(entry_minor=0)),
    "race": (_("Points races"), Q(kind=KindName.RACE)),
    "balanced": (_("Balanced tables"), Q(kind=KindName.BALANCED)),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class TournamentFilter:
    """Filters of a list; an empty value does not filter."""

    show: str = "open"
    """"open", "running", "over" or "mine"."""
    kind: str = ""
    """One of `KINDS`."""
    variant: str = ""
    """Name of the rules, such as `Pool 101`."""
    currency: str = ""


NO_FILTER: Final = TournamentFilter()


def tournament_list(
    viewer: Viewer, wanted: TournamentFilter = NO_FILTER, *, after: str = ""
) -> TournamentList:
    """Return a page of the matching tournaments, open ones by next start, others latest first.

    `after` is the cursor of the previous page, or empty for the first page. New tournaments do not
    shift pages. Raise `BadSignature` for an `after` that is not from this list.
    """
    _label, condition = KINDS[wanted.kind]
    shown = Tournament.objects.shown().filter(condition)
    if wanted.currency:
        shown = shown.filter(currency=wanted.currency)
    if wanted.variant:
        profiles = [p.pk for p in _profiles_played() if variant_of(p) == wanted.variant]
        shown = shown.filter(profile__in=profiles)
    listed = _tab(shown, viewer, wanted.show)
    is_rising = wanted.show == "open"
    if after:
        at, public_id = _read(after, wanted.show)
        step = "gt" if is_rising else "lt"
        further = Q(**{f"at__{step}": at}) | Q(at=at, **{f"public_id__{step}": public_id})
        listed = listed.filter(further)
    order = ("at", "public_id") if is_rising else ("-at", "-public_id")
    found = list(_counted(listed, viewer).order_by(*order)[: ROWS_PER_PAGE + 1])
    page = found[:ROWS_PER_PAGE]
    winners = _winners(page)
    return TournamentList(
        rows=[_row(tournament, winners.get(tournament.pk, [])) for tournament in page],
        after=_cursor(page[-1], wanted.show) if len(found) > ROWS_PER_PAGE else None,
        server_now=database_now(),
    )


def currencies_played() -> list[str]:
    """Return the currencies of all tournaments."""
    shown = Tournament.objects.shown().order_by("currency")
    return list(shown.values_list("currency", flat=True).distinct())


def variants_played() -> list[str]:
    """Return the names of the rules of all tournaments: `Deals 2`, `Pool 101`, …"""
    return sorted({variant_of(profile) for profile in _profiles_played()})


def _profiles_played() -> QuerySet[RuleProfile]:
    shown = Tournament.objects.shown().filter(profile=OuterRef("pk"))
    return RuleProfile.objects.filter(Exists(shown))


def _tab(tournaments: QuerySet[Tournament], viewer: Viewer, show: str) -> QuerySet[Tournament]:
    """Return the tournaments of one tab, annotated with their sort key `at`."""
    if show == "running":
        return tournaments.filter(state=Tournament.State.RUNNING).annotate(at=F("started_at"))
    if show == "over":
        return tournaments.filter(state__in=Tournament.OVER).annotate(at=F("finished_at"))
    if show == "mine":
        entered = Entry.objects.entered().filter(
            tournament=OuterRef("pk"), player=viewer.pk if viewer else None
        )
        latest = Subquery(entered.order_by("-pk").values("registered_at")[:1])
        return tournaments.filter(Exists(entered)).annotate(at=latest)
    ahead = (Tournament.State.ANNOUNCED, Tournament.State.REGISTERING, Tournament.State.CHECK_IN)
    hour = Coalesce("starts_at", Value(WITHOUT_HOUR), output_field=DateTimeField())
    return tournaments.filter(state__in=ahead).annotate(at=hour)


class Counted(TypedDict):
    at: datetime
    taken: int
    waiting: int
    my_state: str


def _counted(tournaments: QuerySet[Tournament], viewer: Viewer) -> QuerySet[Listed]:
    """Annotate the numbers of taken places and waiting entries, and the state of the viewer."""
    entries = Entry.objects.filter(tournament=OuterRef("pk"))
    mine = entries.filter(player=viewer.pk if viewer else None).order_by("-pk")
    counted = tournaments.select_related("profile", "awards").annotate(
        taken=_number(entries.standing()),
        waiting=_number(entries.filter(state=Entry.State.WAITING)),
        my_state=Coalesce(Subquery(mine.values("state")[:1]), Value("")),
    )
    return cast("QuerySet[Listed]", counted)


def _number(entries: QuerySet[Entry]) -> Coalesce:
    counted = entries.order_by().values("tournament").annotate(number=Count("pk"))
    return Coalesce(Subquery(counted.values("number")), 0)


def _cursor(tournament: Listed, show: str) -> str:
    """Return the cursor after this row, signed so that clients cannot forge one."""
    place = [tournament.at.isoformat(), str(tournament.public_id)]
    return signing.dumps(place, salt=f"tournaments.list.{show}")


def _read(after: str, show: str) -> tuple[datetime, str]:
    at, public_id = signing.loads(after, salt=f"tournaments.list.{show}")
    return datetime.fromisoformat(at), public_id


def _winners(page: Sequence[Tournament]) -> dict[int, list[str]]:
    """Return the names of those in first place, by the key of the finished tournament."""
    finished = [each.pk for each in page if each.state == Tournament.State.FINISHED]
    if not finished:
        return {}
    first = Entry.objects.filter(tournament__in=finished, place=1).order_by("draw_no", "pk")
    winners = defaultdict(list)
    for tournament, handle in first.values_list("tournament", "player__handle"):
        winners[tournament].append(handle)
    return winners


def _row(tournament: Listed, winners: list[str]) -> TournamentRow:
    return TournamentRow(
        id=tournament.public_id,
        name=named(tournament.name),
        variant=variant_of(tournament.profile),
        state=tournament.state,
        starts_at=tournament.starts_at,
        entry=Amount.of(tournament.entry_minor, tournament.currency),
        prize=Amount.of(prize_minor(tournament, entrants=tournament.taken), tournament.currency),
        entrants=tournament.taken,
        entrants_max=tournament.entrants_max,
        waiting=tournament.waiting,
        round_no=tournament.round_no,
        is_practice=tournament.bots_fill,
        kind=tournament.kind,
        is_heads_up=tournament.seats == 2,
        awards=tournament.awards.name if tournament.awards else "",
        has_password=bool(tournament.password_hash),
        mine=tournament.my_state if tournament.my_state not in Entry.GONE else "",
        finished_at=tournament.finished_at,
        winners=winners,
    )
