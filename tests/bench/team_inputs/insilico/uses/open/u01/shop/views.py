from django.db.models import Avg, Max
from django.http import JsonResponse
from django.shortcuts import get_object_or_404, render

from .models import Customer, Invoice, Order, OrderLine

SORTS = {"amount": "-total", "date": "placed_at"}


def order_list(request):
    sort = SORTS.get(request.GET.get("sort"), "placed_at")
    orders = Order.objects.select_related("customer").order_by(sort)
    stats = orders.aggregate(top=Max("total"), mean=Avg("total"))
    return render(request, "shop/list.html", {"orders": orders, "stats": stats})


def order_detail(request, pk):
    order = get_object_or_404(Order, pk=pk)
    return JsonResponse({
        "id": order.pk,
        "sum": str(order.total),
        "field": str(getattr(order, "total")),
    })


def best_customers(request):
    rich = Customer.objects.filter(orders__total__gt=1000).distinct()
    lines = OrderLine.objects.filter(order__total__lt=5).values_list("order__total", flat=True)
    billed = Invoice.objects.filter(total__gt=1000).count()
    return JsonResponse({"rich": [c.name for c in rich], "lines": list(lines), "billed": billed})


def invoice_detail(request, pk):
    invoice = get_object_or_404(Invoice, pk=pk)
    return JsonResponse({"number": invoice.number, "sum": str(invoice.total)})
