"""Makes the files of this case in its own folder. Seeded; every person in it is invented."""
import base64, csv, hashlib, io, json, os, random
from pathlib import Path

HERE = Path(__file__).resolve().parent
R = random.Random(2810)
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


import pyarrow as pa, pyarrow.parquet as pq


def key(i, salt):
    return hashlib.sha256(f"{salt}{i}".encode()).hexdigest()[:12]


def save(fn, head, data):
    with open(HERE / fn, "w", newline="", encoding="utf-8") as f:
        w = csv.writer(f)
        w.writerow(head)
        w.writerows(data)


# 1. many visits of one person fill a group; the header is spelled in its own way
rows = []
for i in range(900):
    for _ in range(R.randint(1, 2)):
        rows.append([key(i, "v"), 1970 + i % 10, "FM"[i % 3 == 0], ["04524", "13494", "48058"][i % 3], day(2026, 2026)])
for i in range(3):
    rows += [[key(5000 + i, "v"), 1921 + i, "F", "63322", day(2026, 2026)] for _ in range(8)]
R.shuffle(rows)
save("visits.csv", ["PERSON_KEY", "Birth Year", "SEX", "Zip-Code", "Visit Date"], rows)

# 2. each panel alone has large groups, joined by the key (its case differs) they single people out
ids = list(range(1200))
a = [[key(i, "p"), 1960 + i % 40, "FM"[(i // 40) % 2]] for i in ids]
b = [[key(i, "p").upper(), ["11010", "11020", "21030", "31040", "41050", "51060"][(i // 80) % 6], ["nurse", "clerk", "driver", "teacher"][(i // 480) % 4]] for i in ids]
R.shuffle(b)
save("panel_a.csv", ["person_key", "birth_year", "sex"], a)
save("panel_b.csv", ["PERSON_KEY", "postal_code", "occupation"], b)

# 3. capital and small letters of one town hide nothing: one person is alone here in any spelling
rows = [[R.choice(["Seoul", "SEOUL", "seoul "]), R.choice(["30s", "40s"]), R.choice("FM")] for _ in range(800)]
rows.insert(640, ["Ulleung", "90s", "F"])
save("survey.csv", ["City", "Age Group", "Gender"], rows)

# 4. clean
n = 1600
pq.write_table(pa.table({"age_group": [["20s", "30s", "40s", "50s"][i % 4] for i in range(n)],
                         "gender": ["FM"[(i // 4) % 2] for i in range(n)],
                         "region": [["north", "south"][(i // 8) % 2] for i in range(n)],
                         "basket_size": [R.randint(1, 30) for _ in range(n)]}), HERE / "baskets.parquet")
