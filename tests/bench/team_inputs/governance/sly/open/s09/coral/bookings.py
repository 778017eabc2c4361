from coral.crypto import encrypt


def add_traveller(conn, name, passport_no):
    conn.execute("INSERT INTO traveller (name, passport_no) VALUES (%s, %s)", (name, encrypt(passport_no)))
