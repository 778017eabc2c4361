from django.contrib import admin

from .models import Invoice, Project, Task


class TaskInline(admin.TabularInline):
    model = Task
    fields = ("title", "due", "done")
    extra = 0


@admin.register(Project)
class ProjectAdmin(admin.ModelAdmin):
    list_display = ("title", "due")
    inlines = [TaskInline]


@admin.register(Task)
class TaskAdmin(admin.ModelAdmin):
    date_hierarchy = "due"
    list_filter = (("due", admin.DateFieldListFilter), "done")
    list_editable = ["due"]

    @admin.action(description="Postpone")
    def postpone(self, request, queryset):
        for task in queryset:
            task.postpone()
            self.message_user(request, f"{task.title} is due {task.due}")


@admin.register(Invoice)
class InvoiceAdmin(admin.ModelAdmin):
    date_hierarchy = "due"

    @admin.display(ordering="project__due")
    def project_end(self, invoice):
        return invoice.project.due
