from django.shortcuts import redirect, render

from .forms import RoomForm, SearchForm, ShuttleForm
from .models import Building, Room, Shuttle


def rooms(request):
    form = SearchForm(request.GET)
    found = Room.objects.select_related("building")
    if form.is_valid() and form.cleaned_data["capacity"]:
        found = found.filter(capacity__gte=form.cleaned_data["capacity"])
    return render(request, "rooms.html", {"rooms": found.only("number", "capacity"), "form": form})


def add_room(request):
    form = RoomForm(request.POST or None, initial={"capacity": 30})
    if form.is_valid():
        room = form.save(commit=False)
        room.capacity = room.capacity or 1
        room.save()
        return redirect("rooms")
    return render(request, "form.html", {"form": form, "bad": "capacity" in form.errors})


def add_shuttle(request):
    form = ShuttleForm(request.POST or None, initial={"capacity": 8})
    if form.is_valid():
        form.save()
    return render(request, "form.html", {"form": form})


def big_buildings(request):
    found = Building.objects.filter(rooms__capacity__gt=200).prefetch_related("rooms")
    sizes = {b.name: [r.capacity for r in b.rooms.all()] for b in found}
    shuttles = Shuttle.objects.filter(capacity__gt=8).order_by("-capacity")
    return render(request, "big.html", {"sizes": sizes, "shuttles": shuttles})
