import sqlite3

from .model import Sensor, Unit

SCHEMA = """
CREATE TABLE IF NOT EXISTS sensor (
    code TEXT PRIMARY KEY,
    unit TEXT NOT NULL,
    offset REAL
);
CREATE TABLE IF NOT EXISTS reading (
    sensor TEXT,
    value REAL,
    unit TEXT
);
"""
COLUMNS = ("code", "unit", "offset")


def save(db: sqlite3.Connection, sensor: Sensor) -> None:
    values = [getattr(sensor, column) for column in COLUMNS]
    db.execute(f"INSERT INTO sensor ({', '.join(COLUMNS)}) VALUES (?, ?, ?)", values)


def all_sensors(db: sqlite3.Connection) -> list[Sensor]:
    db.row_factory = sqlite3.Row
    rows = db.execute("SELECT code, unit, offset FROM sensor")
    return [Sensor(**dict(row)) for row in rows]


def by_unit(db: sqlite3.Connection, unit: Unit) -> list[str]:
    rows = db.execute("SELECT code FROM sensor WHERE unit = ?", (unit.value,))
    return [code for (code,) in rows]
