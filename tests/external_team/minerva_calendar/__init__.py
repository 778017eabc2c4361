"""A team for MINERVA that counts working days."""

from minerva_calendar.agents.deadline_agent import DeadlineAgent
from minerva_calendar.agents.holiday_agent import HolidayAgent
from minerva_calendar.contracts import Holidays
from minerva_calendar.team import CalendarTeam

__all__ = ["CalendarTeam", "DeadlineAgent", "HolidayAgent", "Holidays"]
