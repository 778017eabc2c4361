from datetime import date, timedelta

from django.conf import settings
from django.db import models
from django.db.models import Case, F, Q, When


class Project(models.Model):
    title = models.CharField(max_length=80)
    due = models.DateField(null=True)

    def late_tasks(self):
        return self.tasks.filter(due__gt=self.due)

    def next_due(self):
        return self.tasks.order_by("due").values_list("due", flat=True).first()


class TaskManager(models.Manager):
    def overdue(self):
        return self.get_queryset().filter(due__lt=date.today(), done=False)


class Task(models.Model):
    project = models.ForeignKey(Project, related_name="tasks", on_delete=models.CASCADE)
    title = models.CharField(max_length=80)
    due = models.DateField(db_index=True)
    done = models.BooleanField(default=False)

    objects = TaskManager()

    class Meta:
        ordering = ("done", "due")
        get_latest_by = "due"
        constraints = [models.CheckConstraint(check=Q(due__gte="2000-01-01"), name="due_sane")]

    def postpone(self, days=1):
        self.due += timedelta(days=days)
        self.save(update_fields=("due",))

    @property
    def days_left(self):
        return (self.due - date.today()).days

    def after_project(self):
        return bool(self.project.due and self.due > self.project.due)


class Invoice(models.Model):
    project = models.ForeignKey(Project, related_name="invoices", on_delete=models.CASCADE)
    due = models.DateField()
    paid_on = models.DateField(null=True)

    class Meta:
        ordering = ["-due"]

    def late(self):
        return (self.paid_on or date.today()) > self.due
