from django.db import models


class Tracked(models.Model):
    serial = models.CharField(max_length=40, unique=True)
    added = models.DateTimeField(auto_now_add=True)

    class Meta:
        abstract = True
        ordering = ["serial"]

    def short(self):
        return self.serial[-6:]


class Numbered(models.Model):
    serial = models.PositiveIntegerField()

    class Meta:
        abstract = True

    def padded(self):
        return f"{self.serial:08}"
