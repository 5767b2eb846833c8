"""Templates open tournaments by their calendars, each once."""

from datetime import UTC, datetime, time, timedelta
from zoneinfo import ZoneInfo

import pytest

from config.timetable import TIMETABLE
from tests.builders.tables.making import make_player
from tests.builders.tournaments.tournaments import again, make_template, make_tournament
from tournaments import tasks
from tournaments.exceptions import BadPlan, BadTerms
from tournaments.planning import opening
from tournaments.planning.models import Tournament
from tournaments.planning.terms_models import StartRule
from tournaments.rounds import staff_actions

pytestmark = pytest.mark.django_db
INDIA = ZoneInfo("Asia/Kolkata")
# A Friday far in the future, so that the system clock never reaches it.
NOON = datetime(2090, 6, 2, 12, 0, tzinfo=INDIA)


def make_daily(**overrides):
    daily = {"start_time": time(20), "weekdays": list(range(7)), "announce_hours": 36}
    return make_template(**daily | overrides)


def starts_of(template):
    return list(template.tournaments.order_by("starts_at").values_list("starts_at", flat=True))


@pytest.mark.parametrize(
    "wrong",
    [
        {"round_minutes": 20, "late_minutes": 20},
        {"entrants_min": 28},
        {"start_rule": StartRule.WHEN_FULL, "check_in_minutes": 10},
        {"awards": "INR"},
    ],
    ids=" ".join,
)
def test_contradictory_terms_are_refused(wrong):
    if "awards" in wrong:
        wrong = {"awards": make_template(currency=wrong["awards"])}

    with pytest.raises((BadTerms, BadPlan)):
        make_tournament(**wrong)

    assert not Tournament.objects.exists()


def test_template_opens_on_its_weekdays_in_its_own_zone_once():
    template, on_saturdays = make_daily(), make_daily(weekdays=[5])

    opening.keep_scheduled(NOON)
    opening.keep_scheduled(NOON + timedelta(seconds=10))

    assert starts_of(template) == [
        datetime(2090, 6, 2, 20, 0, tzinfo=INDIA),
        datetime(2090, 6, 3, 20, 0, tzinfo=INDIA),
    ]
    assert starts_of(on_saturdays) == [datetime(2090, 6, 3, 20, 0, tzinfo=INDIA)]


def test_delayed_tournament_keeps_its_calendar_slot():
    template = make_daily()
    opening.keep_scheduled(NOON)
    today, tomorrow = template.tournaments.order_by("starts_at")

    staff_actions.delay(
        tournament_id=today.pk,
        starts_at=tomorrow.starts_at,
        by=make_player(is_staff=True),
        reason="Rain",
    )
    opening.keep_scheduled(NOON)

    assert starts_of(template) == [tomorrow.starts_at] * 2
    assert again(today).slot_at == datetime(2090, 6, 2, 20, 0, tzinfo=INDIA)


def test_tournament_opened_by_staff_has_no_calendar_slot():
    template = make_daily()
    evening = datetime(2090, 6, 2, 20, 0, tzinfo=INDIA)
    staff = make_player(is_staff=True)
    opening.open_by_hand(template=template, starts_at=evening, by=staff, now=NOON)

    opening.keep_scheduled(NOON)

    assert starts_of(template)[:2] == [evening, evening]


def test_error_of_a_template_does_not_stop_the_others():
    broken, sound = make_daily(time_zone="Asia/Nowhere"), make_daily()

    opening.keep_scheduled(NOON)

    assert not broken.tournaments.exists()
    assert sound.tournaments.count() == 2


def test_one_sit_and_go_of_a_kind_is_open_at_a_time():
    template = make_template(start_rule=StartRule.WHEN_FULL)

    opening.keep_scheduled(NOON)
    opening.keep_scheduled(NOON)
    template.tournaments.update(state=Tournament.State.CANCELLED, finished_at=NOON)
    opening.keep_scheduled(NOON)

    assert template.tournaments.count() == 2


def test_open_scheduled_is_a_separate_task():
    template = make_template(start_rule=StartRule.WHEN_FULL)

    tasks.open_scheduled.apply()

    assert TIMETABLE["open-scheduled"]["task"] == tasks.open_scheduled.name
    assert template.tournaments.count() == 1


@pytest.mark.parametrize(
    ("zone", "at", "day", "starts"),
    [
        # Clocks go forward at 2:00, so 2:30 does not exist and means 3:30.
        ("Europe/Berlin", time(2, 30), (2090, 3, 26), (2090, 3, 26, 1, 30)),
        # Clocks go back at 3:00, so 2:30 exists twice; the first one counts.
        ("Europe/Berlin", time(2, 30), (2090, 10, 29), (2090, 10, 29, 0, 30)),
    ],
)
def test_start_skipped_or_repeated_by_daylight_saving_is_played_once(zone, at, day, starts):
    template = make_daily(time_zone=zone, start_time=at, announce_hours=24)
    midnight = datetime(*day, tzinfo=ZoneInfo(zone))

    for hours in range(0, 12, 3):
        opening.keep_scheduled(midnight + timedelta(hours=hours))

    first, *later = starts_of(template)
    assert first == datetime(*starts, tzinfo=UTC)
    assert [start.astimezone(ZoneInfo(zone)).day for start in later] == [day[2] + 1]
