"""Signal receivers of the shop."""
import logging

from django.db.models.signals import post_delete, post_save, pre_save
from django.dispatch import Signal, receiver

from logistics.models import Shipment
from shop.models import Customer, Order, OrderLine, Payment, Product
from shop.tasks import mail_customer, notify_purchaser

log = logging.getLogger("shop.signals")

status_changed = Signal()  # sent with order and old status


@receiver(pre_save, sender=Order)
def remember_status(sender, instance, **kwargs):
    if instance.pk:
        old = sender.objects.only("status").get(pk=instance.pk)
        instance._old_status = old.status


@receiver(post_save, sender=Order)
def announce(sender, instance, created, update_fields=None, **kwargs):
    if update_fields and "status" not in update_fields:
        return
    old_status = getattr(instance, "_old_status", None)
    if created or old_status == instance.status:
        return
    log.info("status of %s changed", instance.reference, extra={"status": old_status})
    status_changed.send(sender, order=instance, status=old_status)
    mail_customer.delay(instance.customer.email, f"Your order {instance.reference}")


@receiver(post_save, sender=Payment)
def payment_saved(sender, instance, **kwargs):
    if instance.status == "refused":
        log.warning("payment %s refused", instance.reference)


@receiver(post_save, sender=OrderLine)
def book_out(sender, instance, created, **kwargs):
    if not created:
        return
    instance.product.take(instance.quantity)
    if instance.product.stock < 5:
        notify_purchaser.delay(instance.product_id, stock=instance.product.stock)


@receiver(post_delete, sender=OrderLine)
def book_back(sender, instance, **kwargs):
    product = Product.objects.select_for_update().get(pk=instance.product_id)
    product.stock += instance.quantity
    product.save(update_fields=["stock"])
    product.movements.create(quantity=instance.quantity, reason="line deleted")


@receiver(post_save, sender=Shipment)
def shipment_moved(sender, instance, **kwargs):
    if instance.status == "delivered" and instance.tracked_at:
        Order.objects.filter(pk=instance.order_id).update(status="sent")


def tidy(instance, **kwargs):
    """Strip blanks, for whatever model it gets connected to."""
    for name in ("email", "reference", "name"):
        value = getattr(instance, name, None)
        if isinstance(value, str):
            setattr(instance, name, value.strip())


for model in (Customer, Order):
    pre_save.connect(tidy, sender=model, dispatch_uid=f"tidy-{model.__name__}")
