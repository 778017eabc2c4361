"""HTML pages, the REST viewsets and a few hand-made JSON endpoints."""
import json
import logging

from django.conf import settings
from django.contrib import messages
from django.db.models import Prefetch, Sum
from django.http import HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import path, reverse
from django.views.decorators.http import require_POST
from rest_framework import viewsets
from rest_framework.views import exception_handler

from logistics.models import Shipment
from shop.forms import CustomerForm, OrderSearchForm
from shop.models import Customer, Order, OrderLine, Payment, Product
from shop.serializers import OrderSerializer, ProductSerializer

log = logging.getLogger(__name__)


def exception_with_status(exc, context):
    response = exception_handler(exc, context)
    if response is not None:
        response.data["status"] = response.status_code
    return response


class OrderViewSet(viewsets.ModelViewSet):
    serializer_class = OrderSerializer
    lookup_field = "reference"
    filterset_fields = ["status", "customer__email"]
    ordering_fields = ["placed_at", "reference"]

    def get_queryset(self):
        scans = Shipment.objects.order_by("-tracked_at")
        return (
            Order.objects.select_related("customer")
            .prefetch_related("lines__product", Prefetch("shipments", queryset=scans))
            .exclude(status="cancelled")
        )


class ProductViewSet(viewsets.ReadOnlyModelViewSet):
    queryset = Product.objects.in_stock().slim()
    serializer_class = ProductSerializer
    search_fields = ["sku", "name", "=price"]
    filterset_fields = {"price": ["lte", "gte"], "weight": ["lte"]}


def order_list(request):
    form = OrderSearchForm(request.GET or None)
    orders = Order.objects.select_related("customer")
    if form.is_valid():
        orders = form.apply(orders)
    sort = request.GET.get("sort", "status")
    return render(request, "shop/order_list.html", {"orders": orders.order_by(sort), "form": form})


def order_status(request, reference):
    """Tiny JSON endpoint for the status page."""
    order = get_object_or_404(Order, reference=reference)
    shipment = order.shipments.first()
    payload = {
        "reference": order.reference,
        "status": order.status,
        "paid": order.payments.filter(status="settled").exists(),
        "email": bool(order.customer.email),
        "shipment_status": shipment.status if shipment else None,
        "tracked_at": shipment.tracked_at if shipment else None,
    }
    return JsonResponse(payload, status=200)


@require_POST
def change_order(request, pk):
    order = get_object_or_404(Order, pk=pk)
    body = json.loads(request.body)
    status = body.get("status")
    if status not in Order.Status.values:
        return JsonResponse({"error": "bad status"}, status=400)
    previous = order.status
    order.status = status
    order.save()
    log.info("order %s: status %s -> %s", order.reference, previous, status)
    messages.success(request, f"Order {order.reference} is now {order.get_status_display()}")
    return redirect(reverse("order-status", args=[order.reference]))


@require_POST
def payment_hook(request):
    """Called by the payment provider with reference and status."""
    data = json.loads(request.body)
    payment = get_object_or_404(Payment, reference=data["reference"])
    if data["status"] == "ok":
        payment.settle()
    else:
        payment.status = data["status"][:10]
        payment.save(update_fields=["status"])
    log.info("payment %s of order %s", payment.reference, payment.order.reference)
    return HttpResponse(status=204)


def basket(request):
    wanted = request.session.get("basket", {})
    rows, total = [], 0
    for sku, quantity in wanted.items():
        product = Product.objects.get(sku=sku)
        quantity = min(quantity, product.stock, settings.SHOP["quantity"]["max_per_line"])
        price = product.price * quantity
        total += price
        rows.append({"sku": sku, "quantity": quantity, "price": price})
    return render(request, "shop/basket.html", {"rows": rows, "total": total})


def price_tag(request, sku):
    product = get_object_or_404(Product.objects.only("sku", "price", "stock"), sku=sku)
    html = "<div class='price'><b class='stock-%s'>%s</b></div>" % (
        "yes" if product.available else "no",
        product.price,
    )
    return HttpResponse(html)


def account(request):
    customer = get_object_or_404(Customer, email=request.user.email)
    form = CustomerForm(request.POST or None, instance=customer, initial={"email": request.user.email})
    if request.method == "POST" and form.is_valid():
        form.save()
        if "email" in form.changed_data:
            request.user.email = form.cleaned_data["email"]
            request.user.save(update_fields=["email"])
    pieces = OrderLine.objects.filter(order__customer=customer).aggregate(Sum("quantity"))
    context = {"form": form, "pieces": pieces["quantity__sum"] or 0}
    return render(request, "shop/account.html", context)


urlpatterns = [
    path("orders/", order_list, name="order-list"),
    path("orders/<str:reference>/status/", order_status, name="order-status"),
    path("orders/<int:pk>/change/", change_order, name="order-change"),
    path("price/<str:sku>/", price_tag, name="price"),
    path("hooks/payment/", payment_hook, name="payment-hook"),
    path("account/email/", account, name="email"),
]
