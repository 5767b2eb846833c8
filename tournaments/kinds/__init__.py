"""The kinds of tournaments: everything in which they differ is a method of the kind's object."""

from __future__ import annotations

from typing import Final

from tournaments.kinds.balanced import Balanced
from tournaments.kinds.kind import Kind
from tournaments.kinds.knockout import Knockout, Shootout
from tournaments.kinds.race import Race
from tournaments.planning.terms_models import Terms

# In the order in which pages list them.
_ALL: Final[tuple[Kind, ...]] = (Knockout(), Shootout(), Balanced(), Race())
KINDS: Final[dict[str, Kind]] = {kind.name: kind for kind in _ALL}


def kind_of(terms: Terms) -> Kind:
    """Return the kind of a tournament or of a template."""
    return KINDS[terms.kind]
