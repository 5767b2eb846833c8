"""Generated people: players who join over the weeks, and members of staff."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date
from itertools import count, cycle
from typing import Final

from allauth.account.models import EmailAddress
from django.contrib.auth.hashers import make_password
from django.contrib.auth.models import Group
from django.db import transaction

from core import audit_log
from devtools.sample_data.fake_clock import FakeClock
from players.accounts.consent import VERSION
from players.accounts.models import User
from players.identity import checks
from players.identity.models import IdentityCheck
from players.identity.tax_numbers import give_tax_number
from wallet.bonuses import play_points

# Regions with play for money; the operator and most players are in Karnataka.
PLACES: Final = ("KA", "KA", "MH", "KA", "DL", "KA", "GJ")
# First and last names that occur together, and the shares of players who have them.
NAMES: Final = (
    (
        (
            "Meera Arjun Kavya Rohan Divya Leela Sanjay Nandini Vikram Gaurav Pooja Harish Sunita "
            "Deepak Tara Naveen Rekha Ananya Karthik Shreya Manoj Lakshmi Aditi Suresh Neha Prakash"
        ),
        (
            "Rao Iyer Patil Shetty Das Mehta Gowda Nair Joshi Reddy Menon Kulkarni Sharma Desai "
            "Hegde Chatterjee Verma Pillai Bhat Naidu Saxena"
        ),
    ),
    ("Imran Fatima Farhan Ayesha Salman Zoya Irfan", "Khan Shaikh Ansari Qureshi Siddiqui"),
    ("Joseph Anita Thomas Maria Rohan", "Fernandes Mathew D'Souza Varghese"),
)
SHARES: Final = (0, 0, 1, 0, 0, 0, 2, 0)
# The ways in which people write their names as handles, with the two digits many add.
HANDLES: Final = (
    "{first}_{last}",
    "{first}{number}",
    "{first}_{initial}",
    "{last}{number}",
    "{initial}{last}{number}",
    "{first}plays{number}",
)
STAFF: Final = {
    "finance_uma": "Finance",
    "finance_kiran": "Finance",
    "finance_babu": "Finance",
    "support_lata": "Support",
    "operations_om": "Operations",
    "identity_ila": "Identity",
}
# The smallest valid PNG.
PAGE_OF_A_PASSPORT: Final = (
    b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x01\x00\x00\x00\x01\x08\x06\x00\x00\x00"
    b"\x1f\x15\xc4\x89\x00\x00\x00\rIDATx\x9cc\xf8\xff\xff?\x00\x05\xfe\x02\xfe\xa75\x81\x84\x00"
    b"\x00\x00\x00IEND\xaeB`\x82"
)


@dataclass
class Staff:
    """Members of staff by role; moving money needs two of them."""

    admin: User
    makers: Sequence[User]
    support: User
    operator: User
    identity: User

    @property
    def maker(self) -> User:
        return self.makers[0]

    @property
    def checker(self) -> User:
        return self.makers[1]

    @property
    def payer(self) -> User:
        return self.makers[2]


@dataclass
class People:
    """All players in the order of joining."""

    site_clock: FakeClock
    password: str
    players: list[User] = field(default_factory=list)
    legal_names: dict[int, str] = field(default_factory=dict)
    # Keys of those whose documents staff have accepted.
    known: set[int] = field(default_factory=set)

    def __post_init__(self) -> None:
        # Hashed once: hashing sixty passwords would take as long as the games.
        self._hash = make_password(self.password)
        self._numbers, self._places = count(1), cycle(PLACES)
        # The lists' lengths have no common divisor, so that all pairs of them occur.
        lists = [
            zip(cycle(first.split()), cycle(last.split()), strict=False) for first, last in NAMES
        ]
        self._names = (next(lists[share]) for share in cycle(SHARES))

    def join(self, *, place: str | None = None) -> User:
        """Sign up a player, confirm the e-mail address, and grant the first play points."""
        first, last = next(self._names)
        number = next(self._numbers)
        handle = _handle(first, last, number)
        with transaction.atomic():
            player = User.objects.create_user(
                handle=handle,
                email=f"{handle}@example.com",
                birth_date=date(1975 + number % 25, 1 + number % 12, 1 + number % 28),
                country="IN",
                region=place or next(self._places),
                consent_version=VERSION,
            )
            player.password = self._hash
            player.save(update_fields=["password"])
        EmailAddress.objects.create(user=player, email=player.email, verified=True, primary=True)
        play_points.grant_sign_up(player=player)
        self.admit(player, f"{first} {last}")
        return player

    def admit(self, player: User, name: str) -> None:
        """Add an account to the players; `name` is its verified name."""
        self.players.append(player)
        self.legal_names[player.pk] = name

    def show_documents(self, player: User) -> IdentityCheck:
        return checks.submit(
            player_id=player.pk,
            name=self.legal_names[player.pk],
            kind=IdentityCheck.DocumentKind.PASSPORT,
            files=[PAGE_OF_A_PASSPORT],
        )

    def be_known(self, *players: User, by: Staff) -> None:
        """Submit passports, which staff accept half an hour later, and tax numbers."""
        shown = [self.show_documents(player) for player in players]
        self.site_clock.think(1_800)
        for player, check in zip(players, shown, strict=True):
            checks.verify(check_id=check.pk, by=by.identity)
            number = len(self.known) + 1  # No PAN has the serial number 0000.
            letter = chr(ord("A") + number % 26)
            give_tax_number(player_id=player.pk, number=f"ABCP{letter}{number:04d}F")
            self.known.add(player.pk)


def _handle(first: str, last: str, number: int) -> str:
    """Return a handle like those people choose; different numbers give different handles.

    >>> [_handle("Meera", "Rao", number) for number in (1, 2, 6)]
    ['meera38', 'meera_r', 'meera_rao']
    """
    last = last.replace("'", "")
    pattern = HANDLES[number % len(HANDLES)]
    # The player's number in the order of joining, scattered over the numbers below a hundred.
    digits = number * 37 % 97 + 1
    return pattern.format(first=first, last=last, initial=last[0], number=digits).lower()[:20]


def hire(site_clock: FakeClock, password: str) -> Staff:
    """Create members of staff, one for each role."""
    admin = User.objects.get(handle="admin")
    hashed = make_password(password)
    people = {}
    for handle, role in STAFF.items():
        with transaction.atomic():
            person = User.objects.create_user(
                handle=handle,
                email=f"{handle}@example.com",
                is_staff=True,
            )
            person.password = hashed
            person.save(update_fields=["password"])
            person.groups.add(Group.objects.get(name=role))
            audit_log.record(by=admin, act="add", row=person, about=person)
        EmailAddress.objects.create(user=person, email=person.email, verified=True, primary=True)
        people[handle] = person
    money = [person for handle, person in people.items() if handle.startswith("finance")]
    return Staff(
        admin=admin,
        makers=money,
        support=people["support_lata"],
        operator=people["operations_om"],
        identity=people["identity_ila"],
    )
