"""Property test: the ledger equals a plain Python model."""

from contextlib import suppress
from itertools import count

import pytest
from django.db import transaction
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.builders.wallet.oracle import Oracle, OracleAccount
from tests.builders.wallet.players import freeze, make_player, thaw
from wallet.audit.audit import row_findings
from wallet.exceptions import AccountClosed, LedgerRefusal, NothingToDo
from wallet.ledger import accounts, posting
from wallet.ledger.models import Account, Entry, Transfer

_runs = count(1)
_steps = []

PLAYERS = {"asha": "INR", "ravi": "INR", "meena": "PTS"}
OPERATOR = {"suspense": "INR", "promotions": "PTS"}
GAMES = {"game": "INR", "duel": "PTS"}
ACTS = {"freeze": freeze, "thaw": thaw}
NAMES = [*PLAYERS, *OPERATOR, *GAMES]

amounts = st.integers(-20, 20)
keys = st.sampled_from([f"k{number}" for number in range(12)])
free_lines = st.lists(st.tuples(st.sampled_from(NAMES), amounts), max_size=4).map(tuple)


@st.composite
def pairs(draw):
    """Two sides of one currency that balance: most requests are meant well."""
    currency = draw(st.sampled_from(["INR", "PTS"]))
    of_currency = [
        name for name, its in {**PLAYERS, **OPERATOR, **GAMES}.items() if its == currency
    ]
    payer, payee = draw(st.permutations(of_currency))[:2]
    amount = draw(st.integers(1, 20))
    return ((payer, -amount), (payee, amount))


posts = st.tuples(
    st.just("post"),
    keys,
    st.sampled_from(["adjustment", "prize"]),
    st.one_of(pairs(), pairs(), pairs(), free_lines),
    st.lists(st.sampled_from(["game", "duel", "asha"]), unique=True, max_size=1).map(tuple),
)
requests = st.one_of(
    posts,
    posts,
    posts,
    st.tuples(st.just("reverse"), keys),
    st.tuples(st.sampled_from([*ACTS]), st.sampled_from(NAMES)),
)


OPENING = [
    ("post", f"open:{payee}", "adjustment", ((payer, -25), (payee, 25)), ())
    for payer, payee in [
        ("suspense", "asha"),
        ("suspense", "ravi"),
        ("promotions", "meena"),
        ("suspense", "game"),
        ("promotions", "duel"),
    ]
]


def open_accounts(run):
    """Open fresh accounts for one example, in the database and in the oracle."""
    real = {
        name: accounts.open_player_accounts(player=make_player(), currency=currency)["deposit"]
        for name, currency in PLAYERS.items()
    }
    for name, currency in OPERATOR.items():
        real[name] = accounts.operator_account(kind=name, currency=currency, shard=run)
    for name, currency in GAMES.items():
        real[name] = accounts.open_escrow(ref=f"{name}:{run}", currency=currency)
    model = {
        name: OracleAccount(
            currency=account.currency, floor=account.floor_minor, is_escrow=name in GAMES
        )
        for name, account in real.items()
    }
    return real, Oracle(model)


def ask_the_database(real, run, request):
    """Do one request for real; return "posted", "replayed" or the refusal's code."""
    what, *rest = request
    if what in ACTS:
        with suppress(NothingToDo, AccountClosed):
            ACTS[what](real[rest[0]])
        return None
    try:
        with transaction.atomic():
            if what == "post":
                key, kind, lines, must_be_empty = rest
                transfer = posting.post(
                    key=f"{run}:{key}",
                    kind=kind,
                    entries=[(real[name], amount) for name, amount in lines],
                    must_be_empty=[real[name] for name in must_be_empty],
                )
            else:
                stored = Transfer.objects.filter(key=f"{run}:{rest[0]}").first()
                transfer = posting.reverse(stored or Transfer(pk=0))
    except LedgerRefusal as refusal:
        return refusal.code
    return "replayed" if transfer.is_replay else "posted"


def ask_the_oracle(oracle, request):
    what, *rest = request
    if what == "post":
        return oracle.post(*rest)
    if what == "reverse":
        return oracle.reverse(*rest)
    account = oracle.accounts[rest[0]]
    before, after = ("open", "frozen") if what == "freeze" else ("frozen", "open")
    account.status = after if account.status == before else account.status
    return None


def compare(asked):
    run = next(_runs)
    _steps.append(len(OPENING) + len(asked))
    real, oracle = open_accounts(run)
    asked = [*OPENING, *asked]

    answers = [(ask_the_database(real, run, it), ask_the_oracle(oracle, it)) for it in asked]

    assert [database for database, _ in answers] == [model for _, model in answers]
    now = Account.objects.in_bulk([account.pk for account in real.values()])
    for name, model in oracle.accounts.items():
        account = now[real[name].pk]
        entries = Entry.objects.filter(account=account).order_by("account_version")
        assert list(entries.values_list("amount_minor", flat=True)) == model.amounts
        assert (account.balance_minor, account.version) == (model.balance, len(model.amounts))
        assert account.status == model.status


def compare_many(examples, *, repeats=False, **sizes):
    slow = [HealthCheck.too_slow]
    many = settings(
        max_examples=examples, deadline=None, suppress_health_check=slow, derandomize=repeats
    )
    many(given(st.lists(requests, **sizes))(compare))()

    # Games here are paid without stakes; all other checks must pass.
    assert {finding.check for finding in row_findings()} <= {"escrow_unexplained"}


@pytest.mark.django_db
@pytest.mark.usefixtures("plans_made_anew")
@pytest.mark.parametrize("examples", [8, pytest.param(40, marks=pytest.mark.extended)])
def test_the_ledger_does_what_its_model_does(examples):
    compare_many(examples, repeats=examples == 8, min_size=5, max_size=30)


@pytest.mark.soak
@pytest.mark.django_db(transaction=True)
def test_the_ledger_does_what_its_model_does_at_length():
    _steps.clear()

    compare_many(500, min_size=20, max_size=60)

    assert sum(_steps) >= 10_000
