"""Makes the files of this case in its own folder. Seeded; every person in it is invented."""
import base64, csv, hashlib, io, json, os, random
from pathlib import Path

HERE = Path(__file__).resolve().parent
R = random.Random(2802)
SUR = "김 이 박 최 정 강 조 윤 장 임 한 오 서 신 권".split()
GIV = "서연 민준 하은 도윤 지우 예준 수아 시우 지아 은우 현주 영호 미경 상철 정숙 다온".split()


def name():
    return R.choice(SUR) + R.choice(GIV)


def rrn(y0=1950, y1=2004, foreign=False, sep="-"):
    y, m, d = R.randint(y0, y1), R.randint(1, 12), R.randint(1, 28)
    g = R.randint(1, 2) + (2 if y >= 2000 else 0) + (4 if foreign else 0)
    s = f"{y % 100:02d}{m:02d}{d:02d}{g}{R.randint(0, 99999):05d}"
    t = sum(int(c) * w for c, w in zip(s, [2, 3, 4, 5, 6, 7, 8, 9, 2, 3, 4, 5]))
    c = (11 - t % 11) % 10
    if foreign:
        c = (13 - t % 11) % 10
    return s[:6] + sep + s[6:] + str(c)


def card(sep="-"):
    s = R.choice(["4518", "5409", "9410", "4009"]) + f"{R.randint(0, 10**11 - 1):011d}"
    t = 0
    for i, c in enumerate(reversed(s)):
        v = int(c) * (2 if i % 2 == 0 else 1)
        t += v - 9 if v > 9 else v
    s += str((10 - t % 10) % 10)
    return sep.join(s[i:i + 4] for i in range(0, 16, 4))


def passport():
    return "M" + f"{R.randint(10**7, 10**8 - 1)}"


def licence():
    return f"{R.randint(11, 28)}-{R.randint(0, 25):02d}-{R.randint(0, 999999):06d}-{R.randint(10, 99)}"


def phone():
    return f"010-{R.randint(2000, 9999)}-{R.randint(0, 9999):04d}"


def cipher(n=44):
    return base64.b64encode(bytes(R.getrandbits(8) for _ in range(n))).decode()


def day(y0=2021, y1=2026):
    return f"{R.randint(y0, y1)}-{R.randint(1, 12):02d}-{R.randint(1, 28):02d}"


import sqlite3
p = HERE / "crm.sqlite"
p.unlink(missing_ok=True)
con = sqlite3.connect(p)
con.executescript("""
CREATE TABLE person (id INTEGER PRIMARY KEY, nm TEXT, rrn_enc BLOB NOT NULL);
CREATE TABLE id_map (rrn TEXT PRIMARY KEY, person_id INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE scans (scan_id INTEGER PRIMARY KEY, person_id INTEGER, mime TEXT, body BLOB);
CREATE TABLE person_parts (person_id INTEGER PRIMARY KEY, no_front TEXT, no_back TEXT);
CREATE VIEW v_person AS SELECT p.id, p.nm, q.no_front || '-' || q.no_back AS ref
  FROM person p JOIN person_parts q ON q.person_id = p.id;
""")
for i in range(1, 801):
    n = rrn()
    con.execute("INSERT INTO person VALUES (?, ?, ?)", (i, name(), bytes(R.getrandbits(8) for _ in range(44))))
    if i % 2:
        con.execute("INSERT INTO id_map VALUES (?, ?)", (n, i))
    if i % 10 == 0:
        con.execute("INSERT INTO scans VALUES (NULL, ?, 'application/json', ?)",
                    (i, json.dumps({"ocr": f"주민등록증 {n} 서울특별시장"}, ensure_ascii=False).encode("utf-8")))
    con.execute("INSERT INTO person_parts VALUES (?, ?, ?)", (i, n[:6], n[7:]))
con.commit()
con.close()
