from flask import Blueprint, abort, jsonify, render_template, request

from .ext import db
from .models import Agent, Ticket

bp = Blueprint("desk", __name__)
SORT = {"status": Ticket.status, "new": Ticket.created.desc()}


@bp.get("/tickets")
def tickets():
    query = Ticket.query
    status = request.args.get("status")
    if status:
        query = query.filter_by(status=status)
    query = query.order_by(SORT.get(request.args.get("sort"), Ticket.created))
    return render_template("tickets.html", tickets=query.all())


@bp.get("/tickets/<int:pk>")
def ticket(pk):
    found = db.session.get(Ticket, pk) or abort(404)
    response = jsonify(found.to_dict())
    response.status = "200 OK"
    return response


@bp.post("/agents/<int:pk>/<status>")
def agent_status(pk, status):
    agent = Agent.query.get_or_404(pk)
    agent.status = status
    db.session.commit()
    return jsonify(name=agent.name, status=agent.status)


@bp.post("/agents/<int:pk>/close-all")
def close_all(pk):
    agent = Agent.query.get_or_404(pk)
    for each in agent.tickets:
        each.status = "closed"
    n = Ticket.query.filter(Ticket.agent_id == pk).update({"status": "closed"})
    m = Ticket.query.filter_by(agent_id=pk).update({Ticket.status: "closed"})
    Agent.query.filter_by(id=pk).update(dict(status="free"))
    db.session.commit()
    return jsonify(n=n + m)
