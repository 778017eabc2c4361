import sqlite3

_db = sqlite3.connect("shop.db")


def save(customer):
    cur = _db.execute("INSERT INTO customer (full_name, email) VALUES (:full_name, :email)", customer)
    _db.commit()
    return cur.lastrowid
