import requests
from celery import shared_task

from estate.models import Agent, Listing


@shared_task
def weather():
    for city in Listing.objects.values_list("city", flat=True).distinct():
        requests.get("https://weather.example", params={"city": city}, timeout=5)


@shared_task
def move_agent(pk, city):
    Agent.objects.filter(pk=pk).update(city=city)
    Listing.objects.filter(agent_id=pk).update(city=city)


@shared_task
def raw():
    rows = Listing.objects.raw("SELECT id, town AS city FROM estate_listing WHERE rent < %s", [500])
    return [listing.city for listing in rows]
