"""A pool's rules as text for players, its bands of drops, and its thresholds for staff (RB 7)."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

import rummy
from rummy import Rules
from tables.games.entries import words_of_entries
from tables.games.game import Band


def of_the_game(rules: Rules) -> Iterator[str]:
    yield _(
        "Points add up from deal to deal. A player who reaches %(limit)s is out; the last one "
        "left takes the prize."
    ) % {"limit": rules.limit}
    yield from _of_rejoins(rules)
    yield from _of_splits(rules)
    yield _(
        "If a deal leaves nobody in the game, the lowest total before it takes the prize; equal "
        "totals share it. If nobody acted in that deal, the game is cancelled instead."
    )
    yield from words_of_entries()


def _of_rejoins(rules: Rules) -> Iterator[str]:
    if not rules.rejoin:
        yield _("Nobody can rejoin.")
        return
    ceiling = rummy.pool.rejoin_ceiling(rules)
    yield ngettext(
        "A player who is out may rejoin for another entry where 3 or more started, 2 or more "
        "are left and none of them has more than %(ceiling)s point. They go on with "
        "one point more than the highest of them.",
        "A player who is out may rejoin for another entry where 3 or more started, 2 or more "
        "are left and none of them has more than %(ceiling)s points. They go on with "
        "one point more than the highest of them.",
        ceiling,
    ) % {"ceiling": ceiling}
    if rules.max_rejoins is None:
        yield _("One may rejoin as often as that holds.")
    else:
        yield _("Rejoins of one player at most: %(times)s.") % {"times": rules.max_rejoins}


def _of_splits(rules: Rules) -> Iterator[str]:
    if not (rules.split or rules.auto_split):
        yield _("The prize is never split.")
        return
    if rules.split:
        yield _(
            "Where more than 3 started and 2 or 3 are left, or 3 started and 2 are left, "
            "anybody may propose to split the prize: one net entry for every drop more "
            "than the fewest, the rest in equal parts, if the rest is one net entry or "
            "more. All must agree."
        )
    else:
        yield _(
            "The prize is split only where more than 3 started and 2 or 3 are left, or 3 started "
            "and 2 are left."
        )
    if rules.auto_split:
        yield from _of_the_automatic_split(rules)
    yield _("Odd units go one each to the lowest points, then to the earlier seat.")


def _of_the_automatic_split(rules: Rules) -> Iterator[str]:
    if rules.auto_split_from is None:
        yield _("If then nobody has a drop left, the prize is split in equal parts automatically.")
        return
    yield ngettext(
        "If then everybody left has %(total)s point or more, the prize is split automatically: one "
        "net entry for every drop more than the fewest, the rest in equal parts, if the rest is "
        "one net entry or more.",
        "If then everybody left has %(total)s points or more, the prize is split automatically: "
        "one net entry for every drop more than the fewest, the rest in equal parts, if the rest "
        "is one net entry or more.",
        rules.auto_split_from,
    ) % {"total": rules.auto_split_from}
    if rules.rejoin:
        yield _("Nobody can rejoin while everybody left has that many points.")


def of_leaving() -> Iterator[str]:
    yield _(
        "A player who leaves a pool is out at any total, without rejoin or share; the entry stays "
        "in the prize."
    )


def bands(rules: Rules) -> tuple[Band, ...]:
    """Return a pool's totals below its limit in bands of equal drops left, lowest first.

    There are none where nobody can drop.
    """
    if not rules.drops_allowed:
        return ()
    totals = range(rules.limit or 0)
    found = []
    for drops, group in groupby(totals, key=lambda total: rummy.pool.drops_left(total, rules)):
        band = list(group)
        found.append(Band(band[0], band[-1], drops))
    return tuple(found)


def thresholds(rules: Rules) -> str:
    """Return what 7.2 and 7.3 of the rulebook make of the limit."""
    assert rules.limit is not None, "a pool has a limit"
    drops = rummy.pool.drops_left(0, rules)
    found = [_("Out at %(limit)s.") % {"limit": rules.limit}]
    if rules.drops_allowed:
        found.append(ngettext("%(drops)s drop at 0.", "%(drops)s drops at 0.", drops))
        found[-1] %= {"drops": drops}
    if rules.rejoin:
        ceiling = rummy.pool.rejoin_ceiling(rules)
        found.append(_("Rejoin while nobody is above %(ceiling)s.") % {"ceiling": ceiling})
    return " ".join(found)
