from flask import Blueprint, flash, redirect, render_template, request, url_for

from .forms import ContactForm, MemberForm
from .mailer import send
from .models import Contact, Member, db

bp = Blueprint("club", __name__)
SORTS = {"name": Member.name, "email": Member.email.asc(), "new": Member.id.desc()}


@bp.route("/members")
def members():
    order = SORTS.get(request.args.get("sort"), Member.id)
    return render_template("members.html", members=Member.query.order_by(order))


@bp.route("/members/new", methods=["GET", "POST"])
def new():
    form = MemberForm()
    if form.validate_on_submit():
        member = Member()
        form.populate_obj(member)
        db.session.add(member)
        db.session.commit()
        send(member.email, "welcome")
        flash(f"mail sent to {form.email.data}")
        return redirect(url_for("club.members"))
    return render_template("form.html", form=form)


@bp.route("/members/<int:pk>/contact", methods=["POST"])
def contact(pk):
    member = Member.query.get_or_404(pk)
    form = ContactForm()
    found = Contact(member=member, email=form.email.data, phone=form.phone.data)
    if found.email == member.email:
        flash("same address")
    db.session.add(found)
    db.session.commit()
    return {"email": found.email}


@bp.route("/login", methods=["POST"])
def login():
    member = Member.by_email(request.form["email"])
    return {"ok": member is not None, "email": getattr(member, "email", None)}
