from django.db import models


class OrderQuerySet(models.QuerySet):
    def open(self):
        return self.filter(closed=None)

    def late(self):
        return self.open().filter(due__lt="2024-01-01")


class Order(models.Model):
    closed = models.DateField(null=True)
    due = models.DateField()

    objects = OrderQuerySet.as_manager()

    @classmethod
    def waiting(cls):
        return cls.objects.open()


class Door(models.Model):
    order = models.ForeignKey(Order, related_name="doors", on_delete=models.CASCADE)

    def open(self):
        self.save()

    def open_twice(self):
        self.open()
        self.open()


class Customer(models.Model):
    orders = models.ManyToManyField(Order, related_name="customers")

    def unpaid(self):
        return self.orders.open().count()
