from planner.models import Task


def lines(tasks: "list[Task]"):
    for task in tasks:
        yield "BEGIN:VTODO"
        yield f"DUE:{task.due:%Y%m%d}"
        yield "END:VTODO"


def subject(task: Task, due=None):
    due = due or task.due
    return "%s (%s)" % (task.title, due)
