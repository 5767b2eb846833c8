"""Tax residence: declared by the player, decided by staff.

Without an accepted declaration it follows the place where the player lives: India or unknown is
resident, elsewhere is not. A decision applies to tax withheld after it; earlier withholdings are
settled in the player's own tax return.
"""

from __future__ import annotations

from collections.abc import Collection

from django.db import transaction
from django.utils.translation import gettext as _

from core import audit_log
from core.clock import database_now
from core.text_validation import refuse_lines
from players.accounts.conflicts_of_interest import refuse_own_interest
from players.accounts.models import User
from players.accounts.places import INDIA
from players.notifications.models import Notification
from players.notifications.steps import Recipient, notify
from wallet.exceptions import RemarkMissing, ResidenceDecided, ResidencePending, WrongResidence
from wallet.ledger.days import site_day
from wallet.tax.arithmetic import financial_year
from wallet.tax.models import PayeeKind
from wallet.tax.residence_models import TaxResidence

State = TaxResidence.State
Kind = Notification.Kind


def payee_kinds(player_ids: Collection[int], year: int) -> dict[int, PayeeKind]:
    """Return the payee kinds of players in a financial year, by primary key."""
    homes = User.objects.filter(pk__in=player_ids).values_list("pk", "country")
    kinds = {
        pk: PayeeKind.RESIDENT if country in ("", INDIA) else PayeeKind.NON_RESIDENT
        for pk, country in homes
    }
    accepted = TaxResidence.objects.filter(
        player__in=player_ids, state=State.ACCEPTED, from_year__lte=year
    )
    latest = accepted.order_by("player", "-from_year", "-pk").distinct("player")
    return kinds | {row.player_id: PayeeKind(row.kind) for row in latest}


def payee_kind(player: User, year: int) -> PayeeKind:
    """Return the payee kind of one player in a financial year."""
    return payee_kinds([player.pk], year)[player.pk]


@transaction.atomic(durable=True)
def declare_residence(*, player_id: int, kind: PayeeKind, country: str) -> TaxResidence:
    """Save a player's declaration for the current financial year, for staff to decide.

    Codes: `wrong_residence`, `residence_pending`.
    """
    if (kind == PayeeKind.RESIDENT) != (country == INDIA) or not country:
        raise WrongResidence(_("Choose India if you are resident there, or else another country."))
    player = User.objects.locked().get(pk=player_id)
    if TaxResidence.objects.of_player(player).pending().exists():
        raise ResidencePending(_("Your declaration is being checked by staff."))
    return TaxResidence.objects.create(
        player=player,
        kind=kind,
        country=country,
        from_year=financial_year(site_day()),
        declared_at=database_now(),
    )


def accept_residence(*, residence_id: int, by: User, reason: str) -> TaxResidence:
    """Accept a declaration; `reason` names the evidence, such as a certificate."""
    return _decide(residence_id, by, reason, State.ACCEPTED)


def refuse_residence(*, residence_id: int, by: User, reason: str) -> TaxResidence:
    """Refuse a declaration; the player sees the reason."""
    return _decide(residence_id, by, reason, State.REFUSED)


@transaction.atomic(durable=True)
def _decide(residence_id: int, by: User, reason: str, state: State) -> TaxResidence:
    refuse_own_interest(User.objects.get(tax_residences=residence_id), by=by)
    row = TaxResidence.objects.locked().get(pk=residence_id)
    if row.state == state and row.decided_by_id == by.pk and row.reason == reason.strip():
        return row
    if row.state != State.DECLARED:
        raise ResidenceDecided(f"The declaration is {row.state} already.")
    if not reason.strip():
        raise RemarkMissing("Enter the document that proves it, or the reason of the refusal.")
    refuse_lines(reason.strip())
    before = audit_log.facts(row)
    row.state, row.reason = state, reason.strip()
    row.decided_by, row.decided_at = by, database_now()
    row.save(update_fields=["state", "reason", "decided_by", "decided_at"])
    act = "accept_tax_residence" if state == State.ACCEPTED else "refuse_tax_residence"
    audit_log.record(by=by, act=act, row=row, before=before, about=row.player, reason=row.reason)
    _notify_player(row)
    return row


def _notify_player(row: TaxResidence) -> None:
    """Notify the player of the decision and, for a refusal, its reason."""
    is_accepted = row.state == State.ACCEPTED
    accepted, refused = Kind.TAX_RESIDENCE_ACCEPTED, Kind.TAX_RESIDENCE_REFUSED
    notify(
        [Recipient(row.player)],
        kind=accepted if is_accepted else refused,
        key=f"tax-residence:{row.public_id}",
        subject=row.country,
        remark="" if is_accepted else row.reason,
        now=row.decided_at or database_now(),
    )
