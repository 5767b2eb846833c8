"""Table templates, from which the lobby offers tables; created and changed by staff.

A table keeps the rules and the price it was opened with; changes apply to later tables.
"""

from __future__ import annotations

from django.db import transaction

from core import audit_log
from core.clock import database_now
from players.accounts.conflicts_of_interest import refuse_own_interest
from players.accounts.models import User
from rummy import AnyRules
from tables.games import opening
from tables.games.game import Price
from tables.lobby.table_templates import profiles
from tables.models.tables import Table
from tables.models.templates import TableTemplate
from tables.settlement import finishing
from tables.state.locks import lock_tables, lock_template, snapshot_of
from tables.state.publishing import publish
from tables.state.rules import rules_of


@transaction.atomic
def save_template(*, template: TableTemplate, rules: AnyRules) -> TableTemplate:
    """Save a template with these rules, and close its empty tables with other terms.

    The rules are stored as a version of their name, which is never edited. Raise
    `GameNotOffered` for terms on which no table can be opened.
    """
    opening.refuse_terms(
        rules=rules,
        price=Price(template.entry_minor, template.point_value_minor),
        seats_min=template.seats_min,
        seats_max=template.seats_max,
    )
    template.profile = profiles.register_version(rules)
    template.save()
    close_outdated(template)
    return template


@transaction.atomic
def change_template(*, template: TableTemplate, rules: AnyRules, by: User) -> TableTemplate:
    """Save a template for a member of staff; raise `SharedInterest` if they play at its tables."""
    stored = TableTemplate.objects.locked().filter(pk=template.pk).first()
    refuse_own_interest(stored, by=by)
    before = None if stored is None else audit_log.facts(stored)
    save_template(template=template, rules=rules)
    audit_log.record_saved(by=by, row=template, before=before)
    return template


@transaction.atomic
def set_offered(*, template_id: int, is_offered: bool, by: User) -> TableTemplate:
    """Offer a template in the lobby or withdraw it; its outdated empty tables are closed."""
    template = lock_template(template_id)
    if template.is_offered == is_offered:
        close_outdated(template)
        return template
    refuse_own_interest(template, by=by)
    before = audit_log.facts(template)
    template.is_offered = is_offered
    save_template(template=template, rules=rules_of(template.profile))
    act = "offer" if is_offered else "withdraw"
    audit_log.record(by=by, act=act, row=template, before=before)
    return template


def close_outdated(template: TableTemplate) -> None:
    """Close the template's empty tables, except those that match its present terms."""
    for table in lock_tables(Table.objects.filter(template=template).waiting()):
        if snapshot_of(table).present() or _is_as_offered(table, template):
            continue
        table.ending = "closed"
        finishing.close(table, Table.Phase.CANCELLED, database_now())
        publish(table)


def _is_as_offered(table: Table, template: TableTemplate) -> bool:
    terms = (
        "profile_id",
        "name",
        "currency",
        "entry_minor",
        "point_value_minor",
        "rake_bps",
        "seats_min",
        "seats_max",
        "bots_fill",
        "bot_strength",
    )
    same = all(getattr(table, term) == getattr(template, term) for term in terms)
    return template.is_offered and same
