"""Makes the files of this case next to itself. Everything in them is invented."""
import random, base64, os
HERE = os.path.dirname(os.path.abspath(__file__))

def out(name):
    p = os.path.join(HERE, name)
    os.makedirs(os.path.dirname(p), exist_ok=True)
    return p

def rrn(R, valid=True, hyphen=True, years=(1950, 2004), foreign=False):
    """An invented resident (or alien) registration number."""
    y, m, d = R.randint(*years), R.randint(1, 12), R.randint(1, 28)
    g = (1 if y < 2000 else 3) + R.randint(0, 1) + (4 if foreign else 0)
    s = "%02d%02d%02d%d%05d" % (y % 100, m, d, g, R.randint(0, 99999))
    t = sum(int(c) * w for c, w in zip(s, (2, 3, 4, 5, 6, 7, 8, 9, 2, 3, 4, 5)))
    c = ((13 if foreign else 11) - t % 11) % 10
    if not valid:
        c = (c + R.randint(1, 9)) % 10
    s += str(c)
    return s[:6] + "-" + s[6:] if hyphen else s

def card(R, sep="", valid=True):
    """An invented card number of 16 digits in a test range."""
    s = R.choice(["400000", "555555", "411111"]) + "%09d" % R.randint(0, 999999999)
    t = 0
    for i, ch in enumerate(reversed(s)):
        n = int(ch)
        if i % 2 == 0:
            n = n * 2 - 9 if n > 4 else n * 2
        t += n
    c = -t % 10
    if not valid:
        c = (c + R.randint(1, 9)) % 10
    s += str(c)
    return sep.join(s[i:i + 4] for i in range(0, 16, 4))

def passport(R):
    if R.random() < .5:
        return "M%08d" % R.randint(10000000, 99999999)
    return "M%03d%s%04d" % (R.randint(100, 999), R.choice("ABCDEFGH"), R.randint(0, 9999))

def licence(R):
    return "%d-%02d-%06d-%02d" % (R.randint(11, 28), R.randint(0, 24), R.randint(0, 999999), R.randint(10, 99))

def cipher(R, n=32):
    """Stands for a ciphertext: random bytes in base64."""
    return base64.b64encode(bytes(R.getrandbits(8) for _ in range(n))).decode()

def name(R):
    return R.choice("김이박최정강조윤장임한오서신권황안송류홍") + R.choice(
        ["가람", "나래", "다온", "라온", "마루", "바름", "새봄", "아라", "자람", "차온", "하늘", "한결", "은새", "도담", "미르"])

def phone(R):
    return "010-%04d-%04d" % (R.randint(0, 999), R.randint(0, 9999))


R = random.Random(1107)
import json
with open(out("fleet_drivers.tsv"), "w", encoding="utf-8") as f:
    f.write("drv\tlic\tbase\n")
    for i in range(300):
        f.write("D%04d\t%s\t%s\n" % (i, licence(R), R.choice(["김포", "제주", "부산"])))
with open(out("idv_events.jsonl"), "w", encoding="utf-8") as f:
    for i in range(6000):
        e = {"event": i, "kind": R.choice(["open", "close", "pay"]), "ext": {"app": "3.%d" % R.randint(0, 9)}}
        if i >= 5200 and i % 7 == 0:
            # a key which no earlier line has
            e["ext"]["idv"] = {"type": "ARC", "no": rrn(R, foreign=True)}
        f.write(json.dumps(e, ensure_ascii=False) + "\n")
