from belmont_common import audit

from shop.store import save


def register(form):
    """Store a new customer."""
    customer = {"full_name": form["full_name"], "email": form["email"].lower()}
    customer_id = save(customer)
    audit.trace("register", customer)
    return customer_id
