"""Open public tables, and keep one of each template with a free seat."""

from __future__ import annotations

from functools import cache
from typing import Any

from django.db import transaction
from django.utils.translation import gettext as _

from core.db.statements import Statement, statement_of
from core.text_validation import refuse_lines
from rummy import AnyRules
from tables.exceptions import GameNotOffered
from tables.games import game_of
from tables.games.game import Price
from tables.models.tables import StakeMode, Table
from tables.models.templates import BotStrength, RuleProfile, TableTemplate
from tables.play import dealing
from tables.state.locks import LockedTable, LockedTemplate, insert_table, lock_template
from tables.state.rules import rules_of
from wallet.ledger import accounts


def keep_lobby_stocked() -> list[Table]:
    """Open a table for every offered template that has none with a free seat."""
    lacking, values = _lacking()
    opened = (restock(template_id=pk) for (pk,) in lacking.rows(*values))
    return [table for table in opened if table is not None]


@cache
def _lacking() -> tuple[Statement, tuple[Any, ...]]:
    # Listed separately: distributed tables are on other nodes than templates.
    joinable = Table.objects.joinable().filter(template__isnull=False).values("template")
    lacking = TableTemplate.objects.offered().exclude(pk__in=joinable)
    _, values = lacking.values_list("pk").query.sql_with_params()
    return statement_of(lacking.values_list("pk")), values


@transaction.atomic(durable=True)
def restock(*, template_id: int) -> Table | None:
    """Open one table of this template unless another process has opened one meanwhile."""
    template = lock_template(template_id)
    if not template.is_offered or Table.objects.joinable().filter(template=template_id).exists():
        return None
    return open_of_kind(template, bots_fill=template.bots_fill, bot_strength=template.bot_strength)


@transaction.atomic(durable=True)
def open_another(*, template_id: int) -> Table:
    """Open a further table of this template beside those with a free seat."""
    template = lock_template(template_id)
    if not template.is_offered:
        raise GameNotOffered(_("This kind of table is not available. Choose another one."))
    return open_of_kind(template, bots_fill=template.bots_fill, bot_strength=template.bot_strength)


def open_of_kind(
    template: LockedTemplate,
    *,
    bots_fill: bool = False,
    bot_strength: str = BotStrength.GREEDY,
    rematch_of: Table | None = None,
    people: int | None = None,
) -> Table:
    """Open a table of this template; for a rematch, only for these people."""
    return open_table(
        profile=template.profile,
        template=template,
        name=template.name,
        currency=template.currency,
        entry_minor=template.entry_minor,
        point_value_minor=template.point_value_minor,
        rake_bps=template.rake_bps,
        seats_min=min(template.seats_min, people or template.seats_min),
        seats_max=people or template.seats_max,
        bots_fill=bots_fill,
        bot_strength=bot_strength,
        rematch_of=rematch_of,
    )


@transaction.atomic
def open_table(
    *,
    profile: RuleProfile,
    name: str,
    currency: str,
    rake_bps: int,
    seats_min: int,
    seats_max: int,
    entry_minor: int = 0,
    point_value_minor: int = 0,
    template: TableTemplate | None = None,
    bots_fill: bool = False,
    bot_strength: str = BotStrength.GREEDY,
    rematch_of: Table | None = None,
    owner_ref: str = "",
    stake_mode: str = StakeMode.CASH,
    stop_at_survivors: int = 1,
    rejoins_open: bool = True,
) -> LockedTable:
    """Open a waiting table with an escrow account and its first deal committed (RB 12.1).

    A table for chips has no escrow: it takes no payments and ends with places only. A pool may stop
    at a number of survivors; that is for tournaments, which hold the money themselves (RB 10.2).
    """
    refuse_lines(name)
    rules = rules_of(profile)
    price = _with_entry(rules, Price(entry_minor, point_value_minor))
    refuse_terms(
        rules=rules,
        price=price,
        seats_min=seats_min,
        seats_max=seats_max,
        stake_mode=stake_mode,
        stop_at_survivors=stop_at_survivors,
    )
    new = Table(
        profile=profile,
        template=template,
        name=name,
        currency=currency,
        entry_minor=price.entry_minor,
        point_value_minor=price.point_value_minor,
        rake_bps=rake_bps,
        seats_min=seats_min,
        seats_max=seats_max,
        bots_fill=bots_fill,
        bot_strength=bot_strength,
        rematch_of=rematch_of,
        owner_ref=owner_ref,
        stake_mode=stake_mode,
        stop_at_survivors=stop_at_survivors,
        rejoins_open=rejoins_open,
    )
    if stake_mode == StakeMode.CASH:
        new.escrow_account = accounts.open_escrow(ref=new.escrow_ref, currency=currency)
    table = insert_table(new)
    dealing.commit_deal(table)
    return table


def _with_entry(rules: AnyRules, price: Price) -> Price:
    """Return the price with its entry, which follows from the value of a point if there is one."""
    if price.entry_minor:
        return price
    game = game_of(rules)
    return price._replace(entry_minor=game.price(rules, game.price_minor(price)).entry_minor)


def refuse_terms(
    *,
    rules: AnyRules,
    price: Price,
    seats_min: int,
    seats_max: int,
    stake_mode: str = StakeMode.CASH,
    stop_at_survivors: int = 1,
) -> None:
    """Raise `GameNotOffered` unless a table can be opened on these terms."""
    if not rules.players_min <= seats_min <= seats_max <= rules.players_max:
        span = f"{rules.players_min} to {rules.players_max}"
        raise GameNotOffered(f"{rules.name} is for {span} players.")
    game = game_of(rules)
    game.refuse_price(rules, price, stake_mode)
    is_whole = not game.may_stop_early or stake_mode == StakeMode.CASH
    if stop_at_survivors > 1 and is_whole:
        raise GameNotOffered("Only a pool for chips can stop before one player is left.")
