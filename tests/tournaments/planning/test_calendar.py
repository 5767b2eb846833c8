"""Templates open what their calendars announce: each hour once, whatever becomes of its start."""

from datetime import UTC, datetime, time, timedelta
from zoneinfo import ZoneInfo

import pytest

from config.timetable import TIMETABLE
from tests.builders.tables.making import make_player
from tests.builders.tournaments.tournaments import again, make_template
from tournaments import tasks
from tournaments.planning import opening
from tournaments.planning.models import Tournament
from tournaments.planning.terms_models import StartRule
from tournaments.rounds import staff_actions

pytestmark = pytest.mark.django_db
INDIA = ZoneInfo("Asia/Kolkata")
# A Friday, far enough ahead that the machine's own clock never reaches it.
NOON = datetime(2090, 6, 2, 12, 0, tzinfo=INDIA)


def make_daily(**overrides):
    daily = {"start_time": time(20), "weekdays": list(range(7)), "announce_hours": 36}
    return make_template(**daily | overrides)


def starts_of(template):
    return list(template.tournaments.order_by("starts_at").values_list("starts_at", flat=True))


def test_a_daily_template_opens_each_evening_of_its_own_zone_once():
    template = make_daily()

    opening.keep_scheduled(NOON)
    opening.keep_scheduled(NOON + timedelta(seconds=10))

    assert starts_of(template) == [
        datetime(2090, 6, 2, 20, 0, tzinfo=INDIA),
        datetime(2090, 6, 3, 20, 0, tzinfo=INDIA),
    ]


def test_only_the_days_chosen_are_played():
    template = make_daily(weekdays=[5])

    opening.keep_scheduled(NOON)

    assert starts_of(template) == [datetime(2090, 6, 3, 20, 0, tzinfo=INDIA)]


def test_a_start_put_off_leaves_no_hour_to_fill_and_may_fall_on_the_next_day_s():
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


def test_one_opened_by_hand_takes_no_hour_of_the_calendar():
    template = make_daily()
    evening = datetime(2090, 6, 2, 20, 0, tzinfo=INDIA)
    staff = make_player(is_staff=True)
    opening.open_by_hand(template=template, starts_at=evening, by=staff, now=NOON)

    opening.keep_scheduled(NOON)

    assert starts_of(template)[:2] == [evening, evening]


def test_a_template_that_makes_no_tournament_does_not_stop_the_others():
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


def test_the_calendar_has_a_message_of_its_own():
    template = make_template(start_rule=StartRule.WHEN_FULL)

    tasks.open_scheduled.apply()

    assert TIMETABLE["open-scheduled"]["task"] == tasks.open_scheduled.name
    assert template.tournaments.count() == 1


@pytest.mark.parametrize(
    ("zone", "at", "day", "starts"),
    [
        # Clocks go forward at 2:00: half past two is never, and an hour later is the same moment.
        ("Europe/Berlin", time(2, 30), (2090, 3, 26), (2090, 3, 26, 1, 30)),
        # They go back at 3:00: half past two is twice, and the first one counts.
        ("Europe/Berlin", time(2, 30), (2090, 10, 29), (2090, 10, 29, 0, 30)),
    ],
)
def test_an_hour_that_a_change_of_clocks_skips_or_repeats_is_played_once(zone, at, day, starts):
    template = make_daily(time_zone=zone, start_time=at, announce_hours=24)
    midnight = datetime(*day, tzinfo=ZoneInfo(zone))

    for hours in range(0, 12, 3):
        opening.keep_scheduled(midnight + timedelta(hours=hours))

    first, *later = starts_of(template)
    assert first == datetime(*starts, tzinfo=UTC)
    assert [start.astimezone(ZoneInfo(zone)).day for start in later] == [day[2] + 1]
