from cryptography.fernet import Fernet
import os

_box = Fernet(os.environ["MARISOL_KEY"])


def check_in(db, guest_id, name, passport_no, room_type):
    """Store the guest; the passport never reaches the database in the clear."""
    token = _box.encrypt(passport_no.encode()).decode()
    db.execute(
        "INSERT INTO Guest (GuestId, GuestName, PassportNo, RoomType) VALUES (?, ?, ?, ?)",
        (guest_id, name, token, room_type),
    )
    print("checked in", room_type)


def free_rooms(db):
    rows = db.execute("SELECT RoomType, COUNT(*) FROM Guest GROUP BY RoomType").fetchall()
    for room_type, taken in rows:
        print(f"{room_type}: {taken} taken")
