"""Calendar arithmetic from the local day on which something was said. Weeks start on Monday."""

from __future__ import annotations

from calendar import monthrange
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

SEASON_MONTHS = {"spring": 3, "summer": 6, "autumn": 9, "winter": 12}


def zone_of(time_zone: str | None, said_at: datetime) -> tzinfo:
    """The zone of the speaker: the IANA name if it is one, else the offset of `said_at`."""
    if time_zone:
        try:
            return ZoneInfo(time_zone)
        except (ZoneInfoNotFoundError, ValueError, OSError):
            pass
    return said_at.tzinfo or UTC


@dataclass(frozen=True)
class Calendar:
    """Dates seen from `today`, in `zone`."""

    today: date
    zone: tzinfo
    holidays: Mapping[str, str]

    @staticmethod
    def at(said_at: datetime, time_zone: str | None, holidays: Mapping[str, str]) -> Calendar:
        """The calendar of the place and moment of an utterance."""
        zone = zone_of(time_zone, said_at)
        return Calendar(said_at.astimezone(zone).date(), zone, holidays)

    def day(self, offset: int) -> str:
        """The day so many days from today."""
        return iso(shift(self.today, offset))

    def weekday(self, number: int, week: int) -> str:
        """Day of the week (0 = Monday) in the week so many weeks from this one."""
        return iso(shift(self.today, number - self.today.weekday() + 7 * week))

    def next_weekday(self, number: int) -> str:
        """The next such day after today."""
        return iso(shift(self.today, (number - self.today.weekday() - 1) % 7 + 1))

    def last_weekday(self, number: int) -> str:
        """The latest such day before today."""
        return iso(shift(self.today, -((self.today.weekday() - number - 1) % 7 + 1)))

    def week(self, offset: int) -> str:
        """Monday to Sunday of a week."""
        return f"{self.weekday(0, offset)}/{self.weekday(6, offset)}"

    def weekend(self, offset: int) -> str:
        """Saturday and Sunday of a week."""
        return f"{self.weekday(5, offset)}/{self.weekday(6, offset)}"

    def month(self, offset: int) -> str:
        """The month so many months from this one."""
        year, month = self._month(offset)
        return f"{year:04d}-{month:02d}"

    def _month(self, offset: int) -> tuple[int, int]:
        index = self.today.year * 12 + self.today.month - 1 + offset
        return max(1, min(9999, index // 12)), index % 12 + 1

    def part_of_month(self, month: str, part: str) -> str:
        """Its first, middle or last days: `start` is the first day, `end` the last, `middle` the 11th to 20th."""
        year, number = int(month[:4]), int(month[5:])
        if part == "start":
            return f"{month}-01"
        if part == "end":
            return f"{month}-{monthrange(year, number)[1]:02d}"
        return f"{month}-11/{month}-20"

    def day_of_month(self, day: int, month_offset: int) -> str | None:
        """Day `day` of a month relative to this one; None where there is no such day."""
        year, month = self._month(month_offset)
        return real(year, month, day)

    def next_day_of_month(self, day: int) -> str | None:
        """The next such day of a month, today included."""
        return self.day_of_month(day, 0 if day >= self.today.day else 1) or self.day_of_month(day, 1)

    def last_day_of_month(self, day: int) -> str | None:
        """The latest such day of a month, today included."""
        return self.day_of_month(day, 0 if day <= self.today.day else -1) or self.day_of_month(day, -2)

    def next_named_month(self, month: int) -> str:
        """The next such month, this one included."""
        return f"{self.today.year + (month < self.today.month):04d}-{month:02d}"

    def last_named_month(self, month: int) -> str:
        """The latest such month, this one included."""
        return f"{self.today.year - (month > self.today.month):04d}-{month:02d}"

    def year_of_day(self, month: int, day: int, *, past: bool) -> str | None:
        """The next or latest such day of the year."""
        this = real(self.today.year, month, day)
        if this is None:
            return real(self.today.year + 1, month, day)
        if past:
            return this if this <= iso(self.today) else real(self.today.year - 1, month, day)
        return this if this >= iso(self.today) else real(self.today.year + 1, month, day)

    def season(self, name: str, year: int) -> str:
        """Three months; a winter ends in the year after."""
        first = SEASON_MONTHS[name]
        last_year, last = (year + 1, 2) if first == 12 else (year, first + 2)
        return f"{year:04d}-{first:02d}-01/{last_year:04d}-{last:02d}-{monthrange(last_year, last)[1]:02d}"

    def season_near(self, name: str, *, past: bool) -> str:
        """The coming season of that name (or the one under way), or the latest one that began."""
        year, first = self.today.year, SEASON_MONTHS[name]
        if past:
            return self.season(name, year if first <= self.today.month else year - 1)
        return self.season(name, year if first == 12 or first + 2 >= self.today.month else year + 1)

    def holiday(self, name: str, year: int) -> str | None:
        """The date of a holiday in a year, by the table of the vocabulary (`MM-DD`, or full dates by year)."""
        for day in self.holidays.get(name, "").split():
            if len(day) == 5:
                return f"{year:04d}-{day}"
            if day.startswith(f"{year:04d}-"):
                return day
        return easter(year) if name == "easter" else None

    def holiday_near(self, name: str, *, past: bool) -> str | None:
        """The next or latest such holiday."""
        years = (self.today.year, self.today.year - 1) if past else (self.today.year, self.today.year + 1)
        for year in years:
            day = self.holiday(name, year)
            if day and (day <= iso(self.today) if past else day >= iso(self.today)):
                return day
        return None

    def moment(self, day: str, hour: int, minute: int) -> str:
        """A full time with the offset of the zone on that day."""
        return datetime.combine(date.fromisoformat(day), time(hour, minute), self.zone).isoformat()


def iso(day: date) -> str:
    """ISO 8601."""
    return day.isoformat()


def shift(day: date, days: int) -> date:
    """So many days later, within the years that exist."""
    try:
        return day + timedelta(days=days)
    except OverflowError:
        return date.max if days > 0 else date.min


def real(year: int, month: int, day: int) -> str | None:
    """The date, or None where the calendar has none."""
    try:
        return date(year, month, day).isoformat()
    except ValueError:
        return None


def easter(year: int) -> str:
    """Easter Sunday of the Gregorian calendar."""
    golden, century = year % 19, year // 100
    epact = (century - century // 4 - (8 * century + 13) // 25 + 19 * golden + 15) % 30
    epact -= (epact // 28) * (1 - (29 // (epact + 1)) * ((21 - golden) // 11))
    sunday = epact - (year + year // 4 + epact + 2 - century + century // 4) % 7
    month = 3 + (sunday + 40) // 44
    return f"{year:04d}-{month:02d}-{sunday + 28 - 31 * (month // 4):02d}"
