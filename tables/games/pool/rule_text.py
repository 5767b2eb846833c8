"""A pool's rules as text for players, its bands of drops, and its thresholds for staff (RB 7)."""

from __future__ import annotations

from collections.abc import Iterator

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

import rummy
from rummy import Rules
from tables.games.rule_text import entries_text


def of_the_game(rules: Rules) -> Iterator[str]:
    yield _(
        "Points add up from deal to deal. Players who reach %(limit)s are out; the last player "
        "left takes the prize."
    ) % {"limit": rules.limit}
    yield from _of_rejoins(rules)
    yield from _of_splits(rules)
    yield _(
        "If all players go out in the same deal, the lowest total before it takes the prize; equal "
        "totals share it. If no player acted in that deal, the game is cancelled instead."
    )
    yield from entries_text()


def _of_rejoins(rules: Rules) -> Iterator[str]:
    if not rules.rejoin:
        yield _("There are no rejoins.")
        return
    ceiling = rummy.pool.rejoin_ceiling(rules)
    yield ngettext(
        "A player who is out may rejoin for another entry if 3 or more started, 2 or more are "
        "left and none of them has more than %(ceiling)s point. The new total is one point more "
        "than the highest of theirs.",
        "A player who is out may rejoin for another entry if 3 or more started, 2 or more are "
        "left and none of them has more than %(ceiling)s points. The new total is one point more "
        "than the highest of theirs.",
        ceiling,
    ) % {"ceiling": ceiling}
    if rules.max_rejoins is None:
        yield _("The number of rejoins is not limited.")
    else:
        yield _("Rejoins per player, at most: %(times)s.") % {"times": rules.max_rejoins}


def _of_splits(rules: Rules) -> Iterator[str]:
    if not (rules.split or rules.auto_split):
        yield _("The prize is never split.")
        return
    if rules.split:
        yield _(
            "If more than 3 started and 2 or 3 are left, or 3 started and 2 are left, any player "
            "may propose to split the prize: one net entry for every drop more than the fewest, "
            "and equal parts of the rest, if the rest is at least one net entry. All must agree."
        )
    else:
        yield _(
            "The prize is split only if more than 3 started and 2 or 3 are left, or 3 started and "
            "2 are left."
        )
    if rules.auto_split:
        yield from _of_the_automatic_split(rules)
    yield _("Odd units go to the players with the fewest points, then to the earlier seats.")


def _of_the_automatic_split(rules: Rules) -> Iterator[str]:
    if rules.auto_split_from is None:
        yield _(
            "If no player has a drop left then, the prize is split into equal parts automatically."
        )
        return
    yield ngettext(
        "If all players left have %(total)s point or more then, the prize is split automatically: "
        "one net entry for every drop more than the fewest, and equal parts of the rest, if the "
        "rest is at least one net entry.",
        "If all players left have %(total)s points or more then, the prize is split automatically: "
        "one net entry for every drop more than the fewest, and equal parts of the rest, if the "
        "rest is at least one net entry.",
        rules.auto_split_from,
    ) % {"total": rules.auto_split_from}
    if rules.rejoin:
        yield _("There are no rejoins while all players left have that many points.")


def thresholds(rules: Rules) -> str:
    """Return the thresholds that follow from the limit (RB 7.2, 7.3)."""
    assert rules.limit is not None, "a pool has a limit"
    drops = rummy.pool.drops_left(0, rules)
    found = [_("Out at %(limit)s.") % {"limit": rules.limit}]
    if rules.drops_allowed:
        found.append(ngettext("%(drops)s drop at 0.", "%(drops)s drops at 0.", drops))
        found[-1] %= {"drops": drops}
    if rules.rejoin:
        ceiling = rummy.pool.rejoin_ceiling(rules)
        found.append(_("Rejoin up to a highest total of %(ceiling)s.") % {"ceiling": ceiling})
    return " ".join(found)
