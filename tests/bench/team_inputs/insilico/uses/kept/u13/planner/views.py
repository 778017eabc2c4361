from datetime import date

from django.db.models import F, Min, Prefetch
from django.http import JsonResponse
from django.views.generic import ListView, UpdateView

from .models import Invoice, Project, Task

ORDERS = dict(soon="due", name="title")


class TaskList(ListView):
    model = Task
    ordering = "due"
    template_name = "planner/tasks.html"

    def get_queryset(self):
        found = super().get_queryset()
        if before := self.request.GET.get("before"):
            found = found.filter(due__lte=before)
        return found.order_by(ORDERS[self.request.GET.get("by", "soon")])


class TaskUpdate(UpdateView):
    model = Task
    fields = ["title", "due"]


class InvoiceUpdate(UpdateView):
    model = Invoice
    fields = ["due", "paid_on"]


def projects(request):
    found = Project.objects.annotate(first=Min("tasks__due")).prefetch_related(
        Prefetch("invoices", queryset=Invoice.objects.order_by("due"))
    )
    late = Task.objects.filter(due__gt=F("project__due")).count()
    return JsonResponse({"n": late, "firsts": [p.first for p in found]})


def calendar(request):
    days = {}
    for task in Task.objects.in_bulk().values():
        days.setdefault(task.due.isoformat(), []).append(task.title)
    for invoice in Invoice.objects.filter(due__year=date.today().year):
        days.setdefault(invoice.due.isoformat(), []).append("invoice")
    return JsonResponse(days)
