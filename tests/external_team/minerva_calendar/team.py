"""The calendar team: what the entry point `minerva.teams` names."""

from minerva_calendar.agents.deadline_agent import DeadlineAgent
from minerva_calendar.agents.holiday_agent import HolidayAgent
from minerva_platform import Team


class CalendarTeam(Team):
    """Holidays first, deadlines after them."""

    name = "calendar"
    description = "Counts working days and finds deadlines, with the holidays of a file."
    headings = {"ko": "영업일 달력", "en": "Working-day calendar"}
    members = (HolidayAgent, DeadlineAgent)
