import webbrowser
from pathlib import Path

from django.shortcuts import render

from .models import Customer, Door, Order


def index(request):
    orders = Order.objects.open()
    late = Order.objects.filter(due=None).open().order_by("due")
    return render(request, "index.html", {"orders": orders, "late": late})


def door(request, pk):
    found = Door.objects.get(pk=pk)
    found.open()
    return render(request, "door.html", {"door": found})


def export(request, path):
    with open(path) as file, Path(path).open() as other:
        return render(request, "x.html", {"text": file.read() + other.read()})


def customer(request, pk):
    one = Customer.objects.get(pk=pk)
    qs = one.orders.all()
    qs = qs.open()
    return render(request, "c.html", {"n": qs.count(), "doors": [d.open() for o in qs for d in o.doors.all()]})


def browse(url):
    webbrowser.open(url)
