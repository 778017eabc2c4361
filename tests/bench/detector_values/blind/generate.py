#!/usr/bin/env python3
"""BLIND half: synthetic values for a detector of personal data (written apart from ../dev).

    python generate.py N SEED OUT.jsonl
    python generate.py --verify          published sample numbers through the checkers below

Row keys: value, kind, column, comment; region (PHONE); text + inner (sentences);
sub (how it is written / what sort of null); collides (other kinds whose
check or full shape the value passes by accident); ambiguous (not decidable from value +
column name); disputed (the label can be argued about: score apart).
"""
import argparse
import calendar
import hashlib
import json
import random
import re
from datetime import date, datetime, timedelta, timezone

ALNUM = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"


# ============================================================ arithmetic shared by the schemes
def dot(num, weights):
    return sum(int(ALNUM.index(c)) * w for c, w in zip(num, weights))


def mod97(text):
    """ISO 7064 MOD 97-10, digit by digit."""
    r = 0
    for c in text:
        v = ALNUM.index(c)
        r = (r * (100 if v > 9 else 10) + v) % 97
    return r


class Scheme:
    """body -> check; `ok` decides a compacted value."""
    strip = re.compile(r"[\s.\-]")
    shape = re.compile(r"$^")

    def check(self, body):
        raise NotImplementedError

    def compact(self, v):
        return self.strip.sub("", v).upper()

    def ok(self, v):
        v = self.compact(v)
        return bool(self.shape.fullmatch(v)) and self.test(v)

    def test(self, v):
        return self.check(v[:-1]) == v[-1]


class Korean13(Scheme):
    """주민등록번호 / 외국인등록번호 (주민등록법 시행규칙 부칙; ko.wikipedia "주민등록번호", "외국인등록번호")."""
    strip = re.compile(r"\s*-\s*|\s")

    def __init__(self, sexes, offset):
        self.shape, self.offset = re.compile(r"\d{6}[%s]\d{6}" % sexes), offset

    def check(self, body):
        rest = dot(body, [2, 3, 4, 5, 6, 7, 8, 9, 2, 3, 4, 5]) % 11
        return str((self.offset - rest) % 10)

    @staticmethod
    def born(v):
        century = 2000 if v[6] in "3478" else 1900
        y, m, d = century + int(v[:2]), int(v[2:4]), int(v[4:6])
        if 1 <= m <= 12 and 1 <= d <= calendar.monthrange(y, m)[1]:
            return date(y, m, d)

    def test(self, v):
        b = self.born(v)
        return b is not None and b.year <= 2026 and super().test(v)


class KoreanRandom(Korean13):
    """Issued from 5 Oct 2020: last six digits random, no check digit (행정안전부 2020)."""

    def __init__(self):
        super().__init__("34", 11)

    def test(self, v):
        b = self.born(v)
        return b is not None and date(2020, 10, 5) <= b <= date(2026, 12, 31)


class KoreanBusiness(Scheme):
    """사업자등록번호 (국세청; OECD Korea TIN sheet)."""
    strip = re.compile(r"[\s\-]")
    shape = re.compile(r"[1-9]\d{9}")

    def check(self, body):
        total = dot(body, [1, 3, 7, 1, 3, 7, 1, 3, 5]) + (int(body[8]) * 5) // 10
        return str((10 - total % 10) % 10)


class Card(Scheme):
    """ISO/IEC 7812-1 (Luhn)."""
    strip = re.compile(r"[\s\-]")
    shape = re.compile(r"4\d{15}|5[1-5]\d{14}|2(?:2[2-9]|[3-6]\d|7[01])\d{13}|3[47]\d{13}|35(?:2[89]|[3-8]\d)\d{12}")

    def check(self, body):
        doubled = [0, 2, 4, 6, 8, 1, 3, 5, 7, 9]
        t = sum(doubled[int(c)] for c in body[-1::-2]) + sum(map(int, body[-2::-2]))
        return str((-t) % 10)


class Iban(Scheme):
    """ISO 13616, SWIFT IBAN registry."""
    shape = re.compile(r"(?:DE\d{20}|FR\d{12}[A-Z0-9]{11}\d{2}|GB\d\d[A-Z]{4}\d{14}|NL\d\d[A-Z]{4}\d{10}|ES\d{22}|IT\d\d[A-Z]\d{10}[A-Z0-9]{12})")

    def seal(self, cc, bban):
        return f"{cc}{98 - mod97(bban + cc + '00'):02d}{bban}"

    def test(self, v):
        return mod97(v[4:] + v[:4]) == 1


class Nhs(Scheme):
    """NHS Data Model and Dictionary, modulus 11; check 10 is never issued."""
    shape = re.compile(r"[1-9]\d{9}")

    def check(self, body):
        c = (11 - dot(body, range(10, 1, -1)) % 11) % 11
        return None if c == 10 else str(c)


class SteuerId(Scheme):
    """Identifikationsnummer § 139b AO; BZSt/ELSTER, ISO 7064 MOD 11,10."""
    shape = re.compile(r"[1-9]\d{10}")

    def check(self, body):
        p = 10
        for c in body:
            p = ((int(c) + p) % 10 or 10) * 2 % 11
        return str((11 - p) % 10)

    def test(self, v):
        reps = sorted(v[:10].count(c) for c in set(v[:10]))
        return reps[-1] in (2, 3) and (len(reps) < 2 or reps[-2] == 1) and super().test(v)


class Nir(Scheme):
    """INSEE: clé = 97 - (NIR mod 97); Corsica A = -1 000 000, B = -2 000 000."""
    shape = re.compile(r"[12]\d\d(?:0[1-9]|1[0-2])(?:\d\d|2[AB])\d{8}")

    def check(self, body):
        fix = {"A": 1_000_000, "B": 2_000_000}.get(body[6], 0)
        return f"{97 - (int(re.sub('[AB]', '0', body)) - fix) % 97:02d}"

    def test(self, v):
        return self.check(v[:13]) == v[13:]


class Nif(Scheme):
    """DNI (RD 1553/2005) and NIE (RD 557/2011): letter by n mod 23."""
    shape = re.compile(r"(?:\d{8}|[XYZ]\d{7})[A-HJ-NP-TV-Z]")
    LETTERS = "TRWAGMYFPDXBNJZSQVHLCKE"

    def check(self, body):
        return self.LETTERS[int(body.translate(str.maketrans("XYZ", "012"))) % 23]


class CodiceFiscale(Scheme):
    """D.M. 23 dicembre 1976; Agenzia delle Entrate."""
    shape = re.compile(r"[A-Z]{6}\d\d[ABCDEHLMPRST]\d\d[A-Z]\d{3}[A-Z]")
    PERM = "BAKPLCQDREVOSFTGUHMINJWZYX"      # letter at index i has value i on odd places (digit 0 = A ... 9 = J)

    def check(self, body):
        t = 0
        for place, c in enumerate(body, 1):
            letter = chr(65 + int(c)) if c.isdigit() else c
            t += self.PERM.index(letter) if place % 2 else ord(letter) - 65
        return chr(65 + t % 26)


class Bsn(Scheme):
    """RvIG, Logisch Ontwerp BSN: elfproef with last weight -1."""
    shape = re.compile(r"\d{9}")

    def test(self, v):
        return int(v) > 10_000_000 and dot(v, [9, 8, 7, 6, 5, 4, 3, 2, -1]) % 11 == 0


class Pesel(Scheme):
    """Poland, Ustawa o ewidencji ludności; gov.pl."""
    shape = re.compile(r"\d{11}")

    def check(self, body):
        return str((10 - dot(body, [1, 3, 7, 9] * 3) % 10) % 10)

    def test(self, v):
        century, m = divmod(int(v[2:4]), 20)
        y = {0: 1900, 1: 2000, 2: 2100, 3: 2200, 4: 1800}[century] + int(v[:2])
        return 1 <= m <= 12 and 1 <= int(v[4:6]) <= calendar.monthrange(y, m)[1] and super().test(v)


class MyNumber(Scheme):
    """行政手続における…個人番号…省令 (平成26年総務省令第85号) 第5条."""
    shape = re.compile(r"\d{12}")

    def check(self, body):
        r = dot(body, [6, 5, 4, 3, 2, 7, 6, 5, 4, 3, 2]) % 11
        return "0" if r < 2 else str(11 - r)


class Shape(Scheme):
    """No check digit: only the outline can be tested."""

    def __init__(self, rx, no=None, strip=r"\s"):
        self.shape, self.no, self.strip = re.compile(rx), re.compile(no) if no else None, re.compile(strip)

    def test(self, v):
        return not (self.no and self.no.search(v))


SCHEMES = {
    "KR_RRN": Korean13("1234", 11), "KR_RRN_NOCHECK": KoreanRandom(), "KR_FRN": Korean13("5678", 13), "KR_BRN": KoreanBusiness(),
    "CREDIT_CARD": Card(), "IBAN_CODE": Iban(), "UK_NHS": Nhs(), "DE_TAX_ID": SteuerId(), "FR_NIR": Nir(), "ES_NIF": Nif(),
    "IT_FISCAL_CODE": CodiceFiscale(), "NL_BSN": Bsn(), "PL_PESEL": Pesel(), "JP_MY_NUMBER": MyNumber(),
    "US_SSN": Shape(r"\d{3}-?\d\d-?\d{4}", r"^(000|666|9)|^\d{3}-?00|0000$"),
    "UK_NINO": Shape(r"[ABCEGHJ-PRSTW-Z][ABCEGHJ-NPRSTW-Z]\d{6}[A-D]", r"^(BG|GB|NK|KN|TN|NT|ZZ)"),
    "KR_PASSPORT": Shape(r"[MSRODG]\d{8}|[MSRODG]\d{3}[A-Z]\d{4}"), "KR_DRIVER_LICENSE": Shape(r"(1[1-9]|2[0-68])-?\d\d-?\d{6}-?\d\d"),
    "IP_ADDRESS": Shape(r"(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)(?:\.(?!$)|$)){4}"),
    "PHONE": Shape(r"0[1-9]\d{7,10}|1[016]\d{7,8}", strip=r"[\s./()\-]"),
}
COMPULSORY = ["KR_RRN", "KR_FRN", "KR_BRN", "CREDIT_CARD", "IBAN_CODE", "UK_NHS", "DE_TAX_ID", "FR_NIR", "ES_NIF", "IT_FISCAL_CODE", "NL_BSN",
              "PL_PESEL", "JP_MY_NUMBER"]

# ============================================================ writers of values
WRITERS = {}


def writes(kind, columns):
    def deco(f):
        WRITERS[kind] = (f, columns.split("|"))
        return f
    return deco


class Dice(random.Random):
    def num(self, n):
        return f"{self.randrange(10 ** n):0{n}d}"

    def day(self, lo, hi):
        return lo + timedelta(days=self.randrange((hi - lo).days + 1))

    def odds(self, *pairs):
        vals, w = zip(*pairs)
        return self.choices(vals, w)[0]


def hyphen6(r, s):
    how = r.odds(("dash", 40), ("plain", 45), ("spaced-dash", 8), ("float", 4), ("nbsp", 3))
    return {"dash": s[:6] + "-" + s[6:], "plain": s, "spaced-dash": s[:6] + " - " + s[6:], "float": s + ".0", "nbsp": s[:6] + "\u00a0" + s[6:]}[how], how


RRN_COLS = "주민등록번호|주민번호|jumin|JMN_NO|rrn|resident_registration_number|주민NO|RESNO|ihidnum|계약자 주민등록번호"


@writes("KR_RRN", RRN_COLS)
def _(r):
    b = r.day(date(1928, 1, 1), date(2020, 9, 30))
    sex = r.choice("34" if b.year >= 2000 else "12")
    body = f"{b:%y%m%d}{sex}{r.randrange(96):02d}{r.num(2)}{r.odds(('1', 6), ('2', 2), ('3', 1))}"
    return hyphen6(r, body + SCHEMES["KR_RRN"].check(body))


@writes("KR_RRN_NOCHECK", RRN_COLS + "|자녀주민번호|피보험자주민번호")
def _(r):
    b = r.day(date(2021, 1, 1), date(2026, 9, 30))
    head = f"{b:%y%m%d}{r.choice('34')}"
    return hyphen6(r, head + r.num(6))


@writes("KR_FRN", "외국인등록번호|외국인 등록번호|alien_no|ARN|frn_no|foreign_reg_number|FRGN_NO")
def _(r):
    b = r.day(date(1950, 1, 1), date(2012, 12, 31))
    body = f"{b:%y%m%d}{r.choice('78' if b.year >= 2000 else '56')}{r.randrange(0, 100, 2):02d}{r.num(2)}{r.choice('6789')}"
    return hyphen6(r, body + SCHEMES["KR_FRN"].check(body))


@writes("KR_BRN", "사업자등록번호|사업자 번호|bizNum|corp_reg_no|BSNO|거래처사업자번호|tax_reg_number")
def _(r):
    body = f"{r.randrange(101, 699)}{r.randrange(1, 90):02d}{r.randrange(1, 10000):04d}"
    s = body + SCHEMES["KR_BRN"].check(body)
    return r.odds(((f"{s[:3]}-{s[3:5]}-{s[5:]}", "dash"), 6), ((s, "plain"), 4), ((f"{s[:3]} {s[3:5]} {s[5:]}", "space"), 1))


@writes("KR_PASSPORT", "여권 번호|passportNo|PASSPORT_NO|travel_doc_no|여권번호(영문포함)")
def _(r):
    t = r.odds(("M", 8), ("S", 2), ("R", 1), ("O", 1), ("D", 1))
    if r.random() < .4:
        return t + r.num(8), "until2021"
    v = f"{t}{r.num(3)}{r.choice('ABCDEFGHJKLMNPQRSTUVWXYZ')}{r.num(4)}"
    return r.odds(((v, "since2021"), 5), ((v.lower(), "lower"), 1))


@writes("KR_DRIVER_LICENSE", "운전면허|면허 번호|licenseNo|DRVR_LCNS|driver_lic|자동차운전면허번호")
def _(r):
    n = r.choice([*range(11, 27), 28])
    y, s, c = f"{r.randrange(75, 126) % 100:02d}", r.num(6), r.num(2)
    city = {11: "서울", 12: "부산", 13: "경기", 14: "강원", 15: "충북", 16: "충남", 17: "전북", 18: "전남", 19: "경북", 20: "경남", 21: "제주", 22: "대구", 23: "인천",
            24: "광주", 25: "대전", 26: "울산"}.get(n, "경기")
    return r.odds(((f"{n}-{y}-{s}-{c}", "dash"), 6), ((f"{n}{y}{s}{c}", "plain"), 3), ((f"{n} {y} {s} {c}", "space"), 1), ((f"{city} {y}-{s}-{c}", "old-city"), 1))


@writes("PHONE", "핸드폰|휴대전화|자택전화|cell|mobile_no|Telefonnummer|Handy|téléphone|portable|TELNO|phone_number|MBTLNUM|contact_tel|연락처1")
def _(r):
    region = r.odds(("KR", 3), ("US", 2), ("GB", 2), ("DE", 2), ("FR", 2))
    film = r.random() < .25            # numbers reserved for film and drama
    if region == "KR":
        film = False
        if r.random() < .6:
            cc, mid, end = "10", f"{r.randrange(2000, 10000)}", r.num(4)
        else:
            cc = r.choice(["2", "31", "33", "41", "43", "52", "54", "55", "61", "63"])
            mid, end = f"{r.randrange(200, 900)}" if r.random() < .6 else f"{r.randrange(2000, 9000)}", r.num(4)
        v, how = r.odds(((f"0{cc}-{mid}-{end}", "nat"), 5), ((f"0{cc}{mid}{end}", "plain"), 3), ((f"0{cc} {mid} {end}", "nat"), 2), ((f"(0{cc}) {mid}-{end}", "nat"), 1),
                        ((f"+82{cc}{mid}{end}", "intl"), 2), ((f"+82 (0){cc}-{mid}-{end}", "intl"), 1), ((f"0082-{cc}-{mid}-{end}", "intl"), 1), ((f"{cc}{mid}{end}", "plain-lostzero"), 1))
    elif region == "US":
        a = r.choice(["201", "210", "214", "303", "310", "313", "408", "425", "503", "646", "713", "808", "917", "972"])
        x, l = ("555", f"01{r.num(2)}") if film else (f"{r.choice('2346789')}{r.choice('023456789')}{r.choice('023456789')}", r.num(4))
        v, how = r.odds(((f"{a}-{x}-{l}", "nat"), 4), ((f"({a}){x}-{l}", "nat"), 2), ((f"{a} {x} {l}", "nat"), 2), ((f"+1{a}{x}{l}", "intl"), 3), ((f"1-{a}-{x}-{l}", "nat"), 2),
                        ((f"001 {a} {x} {l}", "intl"), 1), ((f"{a}{x}{l}", "plain"), 1), ((f"({a}) {x}-{l} ext. {r.randrange(10, 999)}", "ext"), 1))
    elif region == "GB":
        if r.random() < .6:
            n = f"7700 900{r.num(3)}" if film else f"{r.choice(['7418', '7507', '7730', '7826', '7890', '7958', '7977'])} {r.num(3)} {r.num(3)}"
        else:
            n = r.choice(["20 7946 0", "121 496 0", "131 496 0"]) + r.num(3) if film else \
                r.odds((f"20 {r.choice('78')}{r.choice('2345')}{r.num(2)} {r.num(4)}", 2), (f"121 {r.choice('2467')}{r.num(2)} {r.num(4)}", 1), (f"1865 {r.choice('2457')}{r.num(5)}", 1))
        c = n.replace(" ", "")
        v, how = r.odds(((f"0{n}", "nat"), 4), ((f"0{c}", "plain"), 3), ((f"+44 (0){n}", "intl"), 2), ((f"+44{c}", "intl"), 2), ((f"0044 {n}", "intl"), 1), ((f"(0{n.split()[0]}) {' '.join(n.split()[1:])}", "nat"), 1))
    elif region == "DE":
        if film:
            a, n = r.choice([("30", "23125" + r.num(3)), ("69", "90009" + r.num(3)), ("221", "4710" + r.num(3)), ("171", "39200" + r.num(2)), ("40", "66969" + r.num(3))])
        elif r.random() < .55:
            a = r.choice(["151", "152", "159", "160", "170", "171", "172", "174", "175", "177"])
            n = f"{r.choice('123456789')}{r.num(7 if a[:2] == '15' else 6)}"
            if a == "152" or a == "159":
                n = {"152": "0", "159": "0"}[a] + n[1:]
        else:
            a, n = r.choice(["30", "40", "89", "201", "231", "251", "421", "511", "621", "761"]), f"{r.choice('23456789')}{r.num(r.choice([6, 7]))}"
        g = " ".join(n[i:i + 3] for i in range(0, len(n), 3))
        v, how = r.odds(((f"0{a} / {g}", "nat"), 2), ((f"0{a} {g}", "nat"), 3), ((f"(0{a}) {n}", "nat"), 2), ((f"0{a}{n}", "plain"), 2), ((f"+49 (0){a} {n}", "intl"), 2), ((f"0049 {a} {n}", "intl"), 2),
                        ((f"+49{a}{n}", "intl"), 2), ((f"+49-{a}-{n}", "intl"), 1))
    else:
        if film:
            n = r.choice(["19900", "26191", "35301", "46571", "53649", "63998"]) + r.num(4)
        else:
            n = r.odds(("6" + r.choice("0124578") + r.num(7), 4), ("7" + r.choice("678") + r.num(7), 2), ("14" + r.num(7), 1), ("2" + r.choice("34") + r.num(7), 1), ("47" + r.num(7), 1), ("55" + r.num(7), 1))
        p = [n[0]] + re.findall("..", n[1:])
        v, how = r.odds((("0" + " ".join(p), "nat"), 4), (("0" + "-".join(p), "nat"), 1), (("0" + n, "plain"), 2), (("+33 (0)" + " ".join(p), "intl"), 2), (("0033" + n, "intl"), 2), (("+33" + n, "intl"), 2),
                        (("0" + ".".join(p), "nat"), 2))
    return v, how + ("+film" if film else ""), region


@writes("EMAIL", "이메일주소|EMAIL|mail|E-Mail-Adresse|adresse_mail|user_email|eml_addr|contact_email")
def _(r):
    syl = ["ka", "mo", "ri", "ten", "su", "bel", "no", "vi", "jan", "hee", "dor", "lin"]
    local = "".join(r.choice(syl) for _ in range(r.randrange(2, 4))) + r.odds(("", 4), (r.num(2), 3), ("." + "".join(r.choice(syl) for _ in range(2)), 3), ("-" + r.num(4), 1), ("+news", 1), ("_office", 1))
    host = r.choice(["example.com", "example.net", "example.org", "sub.example.org", "example.kr", "example.jp", "example.it", "example.nl", "example.es", "shop.example.pl"])
    v = f"{local}@{host}"
    return r.odds(((v, "plain"), 8), ((v.capitalize(), "cap"), 1), ((f"<{v}>", "brackets"), 1), ((f"mailto:{v}", "mailto"), 1), ((f"Kundenservice <{v}>", "label"), 1))


@writes("CREDIT_CARD", "카드 번호|cardNumber|CC_NO|credit_card_number|CARD_NO|Kreditkartennummer|numero_carte|결제카드")
def _(r):
    brand, head, size = r.odds((("visa", "4" + r.num(5), 16), 3), (("mastercard", f"{r.randrange(510000, 560000)}", 16), 2), (("mastercard2", f"{r.randrange(222100, 272100)}", 16), 1),
                               (("amex", r.choice(["34", "37"]) + r.num(4), 15), 2), (("jcb", f"{r.randrange(352800, 359000)}", 16), 2))
    body = head + r.num(size - 1 - len(head))
    s = body + SCHEMES["CREDIT_CARD"].check(body)
    parts = [s[:4], s[4:10], s[10:]] if brand == "amex" else re.findall("....", s)
    return r.odds(((s, brand + " plain"), 3), ((" ".join(parts), brand + " space"), 3), (("-".join(parts), brand + " dash"), 3))


@writes("IBAN_CODE", "IBAN-Nummer|iban_no|account_iban|cuenta_iban|Bankverbindung|rekeningnummer|conto_iban|IBAN_KONTO")
def _(r):
    return iban(r)


def iban(r, spoil=False):
    cc = r.choice(["DE", "FR", "GB", "NL", "ES", "IT"])
    if cc == "DE":
        bban = f"{r.randrange(10000000, 90000000)}{r.num(10)}"
    elif cc == "FR":
        acct = "".join(r.choices(ALNUM, [3] * 10 + [1] * 26, k=11))
        head = f"{r.randrange(10000, 45000)}{r.num(5)}{acct}"
        value = {c: str(ALNUM.index(c)) if c.isdigit() else str("ABCDEFGHI JKLMNOPQR STUVWXYZ".replace(" ", "").index(c) % 9 + 1 if c < "S" else ord(c) - ord("S") + 2) for c in set(acct)}
        bban = head + f"{97 - int(''.join(value.get(c, c) for c in head) + '00') % 97:02d}"     # clé RIB
    elif cc == "GB":
        bban = r.choice(["NWBK", "BUKB", "LOYD", "SRLG", "MONZ", "HBUK"]) + r.num(14)
    elif cc == "NL":
        while True:
            acct = "0" + r.num(9)
            if dot(acct, range(10, 0, -1)) % 11 == 0:
                break
        bban = r.choice(["INGB", "RABO", "ABNA", "KNAB", "BUNQ"]) + acct
    elif cc == "ES":
        bo, ac = r.choice(["2100", "0049", "0182", "2085"]) + r.num(4), r.num(10)

        def dc(x):
            k = 11 - dot(x, [1, 2, 4, 8, 5, 10, 9, 7, 3, 6]) % 11
            return str(k if k < 10 else 11 - k if k == 11 else 1)
        bban = bo + dc("00" + bo) + dc(ac) + ac
    else:
        x = r.choice(["05428", "03069", "02008", "01030"]) + r.num(5) + r.num(12)
        t = sum(CodiceFiscale.PERM.index(chr(65 + int(c))) if i % 2 == 0 else int(c) for i, c in enumerate(x))
        bban = chr(65 + t % 26) + x                                                             # CIN
    v = SCHEMES["IBAN_CODE"].seal(cc, bban)
    if spoil:
        v = v[:2] + f"{(int(v[2:4]) - 2 + r.randrange(1, 97)) % 97 + 2:02d}" + v[4:]
    g = " ".join(v[i:i + 4] for i in range(0, len(v), 4))
    return r.odds(((v, cc + " plain"), 4), ((g, cc + " grouped"), 4), ((v.lower(), cc + " lower"), 1), ((g.replace(" ", "-"), cc + " dashes"), 1))


@writes("IP_ADDRESS", "IP|ipAddr|접속아이피|src_ip|x_forwarded_for|adresse_ip|IP-Adresse|login_ip")
def _(r):
    o = lambda: str(r.randrange(256))
    if r.random() < .55:
        v = r.odds((f"203.0.113.{o()}", 2), (f"172.{r.randrange(16, 32)}.{o()}.{o()}", 2), (f"{r.choice([58, 77, 84, 109, 118, 188])}.{o()}.{o()}.{r.randrange(1, 255)}", 4), (f"10.{o()}.{o()}.{o()}", 2))
        return v, "v4"
    g = ["2001", "db8"] + [f"{r.randrange(1, 65536):x}" for _ in range(6)]
    return r.odds(((":".join(g), "v6 8groups"), 3), (("2001:db8::" + g[7], "v6 short"), 2), (("2001:DB8:" + g[2].upper() + "::" + g[6].upper() + ":" + g[7].upper(), "v6 upper"), 2), (("fe80::" + ":".join(g[4:]), "v6 link-local"), 2),
                  (("::ffff:198.51.100." + o(), "v6 mapped"), 1))


@writes("MAC_ADDRESS", "MAC|macAddress|단말MAC|wifi_mac|ethernet_addr|bssid|MAC-Adresse")
def _(r):
    by = [f"{r.choice([0x00, 0x3c, 0xac, 0xf0, 0x02, 0x8a]):02x}"] + [f"{r.randrange(256):02x}" for _ in range(5)]
    h = "".join(by)
    return r.odds(((":".join(by), "colon"), 4), (("-".join(by), "dash"), 2), ((":".join(by).upper(), "colon upper"), 3), ((f"{h[:4]}.{h[4:8]}.{h[8:]}".upper(), "cisco upper"), 1), ((h.upper(), "bare"), 1))


@writes("US_SSN", "SSN_NO|social_security|socsec|taxpayer_ssn|SocialSecurityNumber|soc_sec_no")
def _(r):
    a = r.choice([n for n in range(1, 900) if n != 666])
    p = [f"{a:03d}", f"{r.randrange(1, 100):02d}", f"{r.randrange(1, 10000):04d}"]
    return r.odds((("-".join(p), "dash"), 5), (("".join(p), "plain"), 3), ((" ".join(p), "space"), 1))


@writes("UK_NHS", "NHS Number|nhs_num|NHS-No|patient_nhs_number|NHSNUMBER")
def _(r):
    while True:
        body = r.choice("4679") + r.num(8)
        c = SCHEMES["UK_NHS"].check(body)
        if c is not None:
            s = body + c
            return r.odds(((s, "plain"), 4), ((f"{s[:3]} {s[3:6]} {s[6:]}", "space"), 4), ((f"{s[:3]}-{s[3:6]}-{s[6:]}", "dash"), 1))


@writes("UK_NINO", "NI Number|national_insurance|NINumber|nat_ins_no|ni_num")
def _(r):
    while True:
        s = r.choice("ABCEGHJKLMNOPRSTWXYZ") + r.choice("ABCEGHJKLMNPRSTWXYZ") + r.num(6) + r.choice("ABCD")
        if SCHEMES["UK_NINO"].ok(s):
            return r.odds(((s, "plain"), 4), ((" ".join([s[:2], s[2:4], s[4:6], s[6:8], s[8]]), "space"), 4), ((s.lower(), "lower"), 1))


@writes("DE_TAX_ID", "Steuer-IdNr.|SteuerIdentNr|IdNr|steuerliche_id|tax_id_de|Identifikationsnummer")
def _(r):
    while True:
        pool = r.sample("0123456789", 10)
        if r.random() < .5:
            pool[0] = pool[1]
        else:
            pool[0] = pool[1] = pool[2]
        r.shuffle(pool)
        body = "".join(pool)
        if body[0] != "0" and not re.search(r"(.)\1\1", body):
            s = body + SCHEMES["DE_TAX_ID"].check(body)
            return r.odds(((s, "plain"), 5), ((f"{s[:2]} {s[2:5]} {s[5:8]} {s[8:]}", "space"), 4), ((f"{s[:3]} {s[3:6]} {s[6:9]} {s[9:]}", "space3"), 1))


@writes("FR_NIR", "N° sécu|num_ss|nir_patient|insee_nir|NumeroSecu|assure_nir")
def _(r):
    dep = r.odds((f"{r.randrange(1, 20):02d}", 3), (f"{r.randrange(21, 96)}", 6), (r.choice(["2A", "2B"]), 2), ("99", 1), ("97", 1))
    commune = f"{r.randrange(1, 4)}{r.num(2)}" if dep == "97" else f"{r.randrange(1, 560):03d}"
    body = f"{r.choice('12')}{r.choice([*range(40, 100), *range(0, 10)]):02d}{r.randrange(1, 13):02d}{dep}{commune}{r.randrange(1, 900):03d}"
    s = body + SCHEMES["FR_NIR"].check(body)
    return r.odds(((s, "plain"), 4), ((s[:13] + " " + s[13:], "key-apart"), 3), ((" ".join([s[0], s[1:3], s[3:5], s[5:7], s[7:10], s[10:13], s[13:]]), "space"), 4))


@writes("ES_NIF", "DNI|numero_dni|NIF/NIE|nif_cliente|doc_identidad|nie")
def _(r):
    body = r.num(8) if r.random() < .7 else r.choice("XYZ") + r.num(7)
    tag = "DNI" if body.isdigit() else "NIE"
    L = SCHEMES["ES_NIF"].check(body)
    return r.odds(((body + L, tag + " plain"), 4), ((f"{body}-{L}", tag + " dash"), 2), ((f"{body} {L}", tag + " space"), 1), (((body + L).lower(), tag + " lower"), 1))


@writes("IT_FISCAL_CODE", "CodiceFiscale|cod_fiscale|C.F.|codice_fisc|cf_cliente|fiscal_code")
def _(r):
    part = lambda: "".join(r.sample("BCDFGLMNPRSTVZ", 3)) if r.random() < .65 else "".join(r.sample("BCDFGLMNPRSTVZ", 2)) + r.choice("AEIOU")
    b = r.day(date(1930, 1, 1), date(2018, 12, 31))
    body = f"{part()}{part()}{b:%y}{'ABCDEHLMPRST'[b.month - 1]}{b.day + r.choice([0, 40]):02d}{r.choice(['H501', 'F205', 'L219', 'A662', 'B354', 'C351', 'E625', 'G482', 'I726', 'Z404', 'Z100'])}"
    s = body + SCHEMES["IT_FISCAL_CODE"].check(body)
    return r.odds(((s, "plain"), 6), ((s.lower(), "lower"), 1), ((f"{s[:6]} {s[6:11]} {s[11:]}", "space"), 1))


@writes("NL_BSN", "BSN-nummer|burger_service_nr|bsn_patient|sofinummer|BSNnr")
def _(r):
    while True:
        head = f"{r.randrange(10000000, 39999999)}"
        d = dot(head, [9, 8, 7, 6, 5, 4, 3, 2]) % 11
        if d < 10:
            s = head + str(d)
            return r.odds(((s, "plain"), 6), ((f"{s[:4]} {s[4:6]} {s[6:]}", "space"), 1), ((f"{s[:4]}.{s[4:6]}.{s[6:]}", "dots"), 1))


@writes("PL_PESEL", "nr PESEL|numer_pesel|PESEL_NR|pesel_klienta")
def _(r):
    b = r.day(date(1925, 1, 1), date(2022, 12, 31))
    body = f"{b:%y}{b.month + (20 if b.year >= 2000 else 0):02d}{b:%d}{r.num(4)}"
    return body + SCHEMES["PL_PESEL"].check(body), "plain"


@writes("JP_MY_NUMBER", "個人番号|マイナンバー番号|mynum|MY_NO|individual_number_jp|kojinbango")
def _(r):
    body = r.num(11)
    s = body + SCHEMES["JP_MY_NUMBER"].check(body)
    return r.odds(((s, "plain"), 6), ((" ".join(re.findall("....", s)), "space"), 3), (("".join(chr(0xFF10 + int(c)) for c in s), "fullwidth"), 1))


@writes("BIRTH_DATE", "DOB|출생일자|생일(양력)|BRDT|born_on|Geburtstag|geb_datum|date_de_naissance|data_urodzenia|fecha_nacimiento|birthDate|생년월일(8자리)")
def _(r):
    b = r.day(date(1930, 1, 1), date(2020, 12, 31))
    return r.odds(((f"{b:%Y-%m-%d}", "iso"), 4), ((f"{b:%Y%m%d}", "8"), 3), ((f"{b.day}.{b.month}.{b.year}", "de"), 2), ((f"{b:%d-%m-%Y}", "nl"), 2), ((f"{b:%m/%d/%y}", "us2"), 1), ((f"{b:%d %b %Y}", "en"), 2), ((f"{b.year}년{b.month:02d}월{b.day:02d}일", "ko"), 2),
                  ((f"{b:%Y/%m/%d}", "slash"), 2), ((f"{b:%Y-%m-%d} 00:00:00", "dt0"), 1), ((f"{b:%y.%m.%d}", "6dots"), 1))


# ============================================================ nulls
def stamp13(r):
    lo, hi = 1_000_000_000_000, 2_082_758_400_000
    ms = r.odds((r.randrange(lo, hi), 4), (r.randrange(1_483_228_800_000, 1_830_297_600_000), 3), (r.randrange(lo // 1000, hi // 1000) * 1000, 3),
                (r.randrange(11575, hi // 86_400_000) * 86_400_000 - 32_400_000, 2))     # midnight in Seoul
    return str(ms)


def when(r):
    return datetime(2004, 1, 1, tzinfo=timezone.utc) + timedelta(seconds=r.randrange(820_000_000))


def stamps(r):
    t = when(r)
    return r.odds((t.strftime("%Y-%m-%dT%H:%M:%SZ"), 3), (t.strftime("%Y/%m/%d %H:%M"), 2), (t.strftime("%Y-%m-%d %H:%M:%S.%f"), 2), (t.strftime("%a, %d %b %Y %H:%M:%S +0000"), 1), (t.strftime("%Y%m%d%H%M%S"), 2), (t.strftime("%Y-%m-%dT%H:%M:%S+01:00"), 2),
                  (f"{t.year}년 {t.month}월 {t.day}일 {t.hour}시", 1), (t.strftime("%y%m%d%H%M%S") + r.num(1), 1))


def plain_date(r):
    t = when(r)
    return r.odds((t.strftime("%Y-%m-%d"), 5), (t.strftime("%Y%m%d"), 3), (t.strftime("%d.%m.%y"), 1), (t.strftime("%Y-W%V"), 1), (t.strftime("%y%m%d"), 1), (t.strftime("%d/%m/%Y"), 2))


def order(r):
    t, y = when(r), r.randrange(2016, 2027)
    return r.odds((f"{y}-{r.num(7)}", 3), (f"ORD{t:%Y%m%d}-{r.num(7)}", 3), (f"{t:%y%m%d}-{r.num(7)}", 2), (f"{t:%Y%m%d}{r.num(5)}", 2), (f"A{y % 100}-{r.num(5)}", 1), (f"W{r.num(9)}", 1), (f"{r.randrange(100, 999)}-{r.num(7)}-{r.num(7)}", 1),
                  (f"BE-{r.num(8)}", 1), (f"{t:%Y%m%d%H%M%S}{r.num(3)}", 1), (f"CMD{r.num(6)}", 1), (f"{r.randrange(10**12, 10**13)}", 2), (f"{r.randrange(10**8, 10**9)}", 1), (f"{t:%Y}-{t:%m%d}-{r.num(6)}", 1))


def sixteen(r):
    card = SCHEMES["CREDIT_CARD"]
    while True:
        s = r.odds(("4", 3), (f"{r.randrange(51, 56)}", 3), ("35", 1), (f"{r.randrange(2015, 2027)}", 3), ("8", 1), ("6", 1))
        s += r.num(16 - len(s))
        if card.check(s[:15]) != s[15]:
            return r.odds((s, 4), (" ".join(re.findall("....", s)), 2))


def gs1(r, pre, n=13):
    body = pre + r.num(n - 1 - len(pre))
    t = sum(int(c) * (3 if i % 2 == 0 else 1) for i, c in enumerate(reversed(body)))
    return body + str(-t % 10)


def book(r):
    s = gs1(r, r.choice(["9783", "9780", "97911", "97889", "9782", "9784"]))
    return r.odds((s, 5), (f"{s[:3]}-{s[3:]}", 2), (f"{s[:3]} {s[3]} {s[4:8]} {s[8:12]} {s[12]}", 1), (f"ISBN {s}", 1))


def uid(r):
    h = f"{r.getrandbits(128):032x}"
    h = h[:12] + r.choice("147") + h[13:16] + r.choice("89ab") + h[17:]
    v = "-".join([h[:8], h[8:12], h[12:16], h[16:20], h[20:]])
    return r.odds((v, 5), (v.upper(), 2), (h, 2), ("urn:uuid:" + v, 1), ("01" + "".join(r.choices("0123456789ABCDEFGHJKMNPQRSTVWXYZ", k=24)), 1))


def parcel(r):
    return r.odds((f"{r.choice('3456')}{r.num(11)}", 3), (f"{r.randrange(1000, 9999)}-{r.num(4)}-{r.num(4)}", 2), ("1Z" + "".join(r.choices(ALNUM, k=16)), 2), ("00" + gs1(r, "34" + r.num(6), 18), 1), (f"H{r.num(19)}", 1),
                  (f"{r.choice(['6A', '8L', '7Q'])}{r.num(11)}", 1), (f"3SABCD{r.num(9)}", 1), (f"RB{r.num(9)}SG", 1), (r.num(14), 1))


def digest(r):
    raw = hashlib.sha256(r.randbytes(8)).hexdigest()
    b64 = "".join(r.choices("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/", k=27)) + "="
    return r.odds((raw, 3), (raw[:40], 2), (raw[:32], 2), (raw[:7], 1), (b64, 3), ("$2b$12$" + b64.replace("=", "").replace("+", ".") + raw[:26], 1), (raw[:8].upper(), 1), (raw[:16], 1))


def money(r):
    n = r.randrange(99, 50_000_000)
    return r.odds((f"{n / 100:.2f}".replace(".", ","), 3), (f"{n}", 2), (f"{n:,}원", 2), (f"EUR {n / 100:.2f}", 1), (f"£{n / 100:,.2f}", 1), (f"{n / 100:,.2f}".translate(str.maketrans(",.", ".,")) + " €", 2), (f"({n / 100:.2f})", 1), (f"{n / 7:.10f}", 1))


def release(r):
    a, b, c, d = (r.randrange(x) for x in (12, 20, 40, 9000))
    return r.odds((f"{a}.{b}.{c}", 4), (f"{a}.{b}", 2), (f"{a}.{b}.{c}.{d}", 2), (f"{a}.{b}.{c}-beta{r.randrange(9)}", 1), (f"{a}.{b}.{c}+build.{d}", 1), (f"{a}.{b}.{c % 10}.{d % 256}", 1), (f"r{d}", 1), (f"{2018 + a % 9}.{1 + b % 12:02d}.{c}", 1))


def article(r):
    L = lambda k: "".join(r.choices("ABCDEFGHJKLMNPQRSTUVWXYZ", k=k))
    return r.odds((f"{L(3)}-{r.num(5)}", 3), (f"{L(1)}{r.num(3)}{L(1)}{r.num(4)}", 1), (f"{r.num(3)}.{r.num(3)}.{r.num(3)}", 1), (f"{L(2)}{r.num(6)}{L(1)}", 1), (f"LOT{r.num(7)}", 1), (f"{r.num(5)}-{L(3)}-{r.num(2)}", 1), (gs1(r, "0" + r.num(3), 14), 1), (f"{r.num(4)}-{r.num(3)}X", 1),
                  (f"10.{r.num(4)}/{L(3).lower()}.{r.num(5)}", 1), (f"HS {r.num(4)}.{r.num(2)}", 1))


def bill(r):
    y = r.randrange(2017, 2027)
    return r.odds((f"RG-{y}-{r.num(6)}", 3), (f"{y}{r.num(6)}", 2), (f"F{y % 100}{r.randrange(1, 13):02d}{r.num(5)}", 2), (f"{r.num(9)}", 1), (f"{r.num(10)}", 1), (f"TAX{y}-{r.num(4)}-{r.num(4)}", 1), (f"{y}-{r.randrange(1, 13):02d}-{r.num(5)}", 1), (f"{r.num(8)}-{r.num(8)}-{r.num(8)}", 1))


GERMAN = ("Auftragsbestätigung Buchhaltung Zwischensumme Ladengeschäft Größe Selbstabholung Wartung Gutschrift Lieferschein versandt teilweise geliefert "
          "Umsatzsteuer Ersatzteil Kaffeemaschine Gewährleistung Zubehör Menge Stück ausstehend Schlüsselanhänger Winterreifen").split()
KOREAN = "교환요청 입고예정 출고완료 우수고객 대구광역시 계좌이체 해외배송 본사 품절 보류 정상 생활용품 복숭아 키보드 심사중 완납 매출 기타 당일출고 환불".split()
SENT = ["창고 점검은 {day} 오전에 진행합니다.", "{order} 주문의 부분 출고가 완료되었습니다.", "이번 달 매출은 {money}으로 집계되었습니다.", "타임스탬프 {stamp} 이후 데이터만 재적재하세요.", "상품코드 {article} 재고를 확인해 주세요.", "회의는 3층 대회의실에서 열립니다.",
        "포장 상자가 젖어 있어 교환을 원합니다.", "택배 {parcel} 배송 중 파손.", "The conveyor stopped at {stamp} and was restarted by the operator.", "Shipment {parcel} is held at customs.", "Credit note for {bill} has been posted.", "Upgrade to {release} before the next audit.",
        "Stock of {article} falls below the minimum next week.", "Nothing to report for this shift.", "Die Lieferung {order} kommt erst am {day} an.", "La commande {order} est partie le {day}."]


def sentence(r):
    return r.choice(SENT).format(day=f"{when(r):%Y-%m-%d}", order=order(r), money=money(r), stamp=stamp13(r), article=article(r), parcel=parcel(r), bill=bill(r), release=release(r))


TIME_COLS = "createdAt|mod_ts|occurred|생성시각|zeitstempel|horodatage|log_time|REG_DT|lastSeen|epochMillis"
NULLS = [
    (25, "stamp13", stamp13, TIME_COLS), (5, "stamp10", lambda r: str(r.randrange(1_000_000_000, 2_082_758_400)), TIME_COLS + "|email_sent_at|phone_checked_ts"),
    (5, "date", plain_date, "주문일자|shipped_on|Rechnungsdatum|date_facture|hire_report_date|ORDER_DT|gültig_bis"), (5, "datetime", stamps, TIME_COLS),
    (9, "order", order, "주문 번호|orderNo|Bestellnr|n_commande|ORD_ID|auftrag|예약번호"), (5, "sixteen", sixteen, "거래ID|transactionId|voucher_no|point_no|belegnr"),
    (4, "uuid", uid, "guid|rowId|trace_id|correlationId|device_uuid"), (3, "isbn13", book, "ISBN|book_code|도서코드"), (3, "ean13", lambda r: gs1(r, r.choice(["8801", "8809", "40", "42", "50", "30", "76", "54"])), "EAN|상품바코드|gencod|artikel_ean"),
    (4, "tracking", parcel, "운송장|trackingNumber|numero_suivi|paketnr"), (3, "version", release, "ver|build|SW버전|firmware|api_version|ip_fw_version"), (4, "amount", money, "합계금액|sum|Preis|montant_ttc|grossTotal|card_amount"),
    (1, "coordinate", lambda r: r.odds((f"{r.uniform(34, 54):.7f}", 1), (f"POINT({r.uniform(-4, 129):.4f} {r.uniform(34, 54):.4f})", 1), (f"{r.uniform(34, 54):.4f},{r.uniform(-4, 129):.4f}", 1)), "latitude|경도|gps|standort"),
    (4, "invoice", bill, "세금계산서번호|invoiceNo|RechnungsNr|facture|bill_ref"), (4, "product", article, "제품코드|itemCode|ArtNr|ref_produit|lot|mobile_model"), (4, "hash", digest, "sha256|digest|commit|file_sum|content_md5"),
    (2, "german", lambda r: r.choice(GERMAN), "zustand|Art|warengruppe"), (2, "korean", lambda r: r.choice(KOREAN), "처리상태|분류|품목|state"), (5, "sentence", sentence, "메모|Bemerkung|remarks|commentaire|내용"),
    (8, "spoiled", None, "documentNo|관리코드|vorgang|lfd_nr|dossier|case_ref|itemKey"),
]


def spoil(r):
    """A wrong check digit of a kind whose check digit is compulsory."""
    kind = r.choice(COMPULSORY)
    sch = SCHEMES[kind]
    while True:
        v = iban(r, True)[0] if kind == "IBAN_CODE" else WRITERS[kind][0](r)[0]
        if v.endswith(".0") or not v.isascii():
            continue
        if kind in ("ES_NIF", "IT_FISCAL_CODE"):
            c = r.choice(Nif.LETTERS if kind == "ES_NIF" else ALNUM[10:])
            v = v[:-1] + (c.lower() if v[-1].islower() else c)
        elif kind != "IBAN_CODE":
            if r.random() < .5:         # a changed digit; else two neighbours exchanged in the tail
                v = v[:-1] + r.choice("0123456789")
            elif v[-2].isdigit() and v[-3].isdigit():
                v = v[:-3] + v[-2] + v[-3] + v[-1]
        if not sch.ok(v) and not (kind == "KR_RRN" and SCHEMES["KR_RRN_NOCHECK"].ok(v)):
            return v, kind


# ============================================================ sentences with one value of a kind
NOUN = {"KR_RRN": "주민번호|resident registration no.", "KR_RRN_NOCHECK": "아이 주민등록번호|resident registration no.", "KR_FRN": "외국인등록번호|alien registration no.", "KR_BRN": "사업자등록번호|Korean business no.", "KR_PASSPORT": "여권번호|passport",
        "KR_DRIVER_LICENSE": "면허번호|driving licence", "PHONE": "전화번호|phone number", "EMAIL": "이메일|email address", "CREDIT_CARD": "신용카드 번호|credit card", "IBAN_CODE": "계좌(IBAN)|IBAN", "IP_ADDRESS": "IP 주소|IP", "MAC_ADDRESS": "MAC 주소|MAC",
        "US_SSN": "미국 SSN|SSN", "UK_NHS": "NHS 번호|NHS no.", "UK_NINO": "NI 번호|NI number", "DE_TAX_ID": "Steuer-ID|tax ID (IdNr)", "FR_NIR": "NIR|numéro de sécu", "ES_NIF": "DNI|NIF", "IT_FISCAL_CODE": "CF|codice fiscale", "NL_BSN": "BSN|BSN",
        "PL_PESEL": "PESEL|PESEL", "JP_MY_NUMBER": "마이넘버|My Number", "BIRTH_DATE": "생일|date of birth"}
KO = ["환불 처리용 {n} {v}을(를) 받았습니다.", "{n}가 {v}로 바뀌었다고 합니다.", "신규 접수 / {n}:{v} / 내일 재통화", "{v} <- {n} 오타 없는지 확인", "상담원이 {n}를 {v}라고 적음"]
EN = ["Caller confirmed the {n} as {v}; ticket closed.", "New {n} on file = {v}", "they wrote {v} in the box for {n}", "Could you remove the {n} ({v}) from the public page?", "The {n} printed on the form reads {v}, please correct."]
NAKED = ["{v} 이걸로 다시 조회 부탁드려요", "확인 요청: {v}", "still failing for {v} this morning", "Use {v} instead."]


def grey(r):
    return r.choice(["var%02d" % r.randrange(1, 30), "v", "컬럼_%d" % r.randrange(1, 12), "text%d" % r.randrange(1, 6), "misc", "column%d" % r.randrange(1, 25), "item_value", "feld%d" % r.randrange(1, 9), "champ_%d" % r.randrange(1, 9), "spalte_%d" % r.randrange(1, 9),
                     r.choice("ABCDEFGH"), "항목%d" % r.randrange(1, 9), "col_%d" % r.randrange(1, 20), "raw", "param_%d" % r.randrange(1, 9)])


def others(v, own):
    kin = {"KR_RRN": "KR_RRN_NOCHECK", "KR_RRN_NOCHECK": "KR_RRN"}.get(own)
    v = v[:-2] if re.fullmatch(r"\d+\.0", v) else v
    return [k for k, s in SCHEMES.items() if k not in (own, kin) and s.ok(v)]


def record(value, kind, column, **extra):
    out = {"value": value, "kind": kind, "column": column, "comment": ""}
    names = {"variant": "sub", "also_valid_as": "collides"}          # same keys as the other half in the file
    out.update({names.get(k, k): v for k, v in extra.items() if v})
    return out


def make_pos(r, kind):
    write, cols = WRITERS[kind]
    v, variant, *region = write(r)
    also = others(v, kind)
    named = kind == "BIRTH_DATE" or r.random() < .48
    soft = kind == "KR_PASSPORT" or (kind in ("KR_RRN_NOCHECK", "US_SSN", "KR_DRIVER_LICENSE", "PHONE", "MAC_ADDRESS") and variant.startswith(("plain", "space", "bare", "float")))
    if r.random() < .2:
        naked = kind != "BIRTH_DATE" and r.random() < .25
        t = r.choice(NAKED if naked else KO + EN)
        n = NOUN[kind].split("|")[0 if re.search("[가-힣]", t) else 1]
        col = r.choice("메모|Bemerkung|remarks|commentaire|내용|note_text|요청사항".split("|")) if named else grey(r)
        return record(t.format(n=n, v=v), kind, col, region="".join(region), text=True, inner=v, variant=variant, also_valid_as=also, ambiguous=naked and bool(soft or also))
    return record(v, kind, r.choice(cols) if named else grey(r), region="".join(region), variant=variant, also_valid_as=also, ambiguous=not named and bool(soft or also))


def make_null(r, slot):
    _, variant, f, cols = slot
    named = r.random() < .5
    if variant == "spoiled":
        v, kind = spoil(r)
        also, variant = others(v, None), "spoiled:" + kind
        if r.random() < .06:
            return record(v, None, r.choice(WRITERS[kind][1]), variant=variant, also_valid_as=also, disputed=True)
        return record(v, None, r.choice(cols.split("|")) if named else grey(r), variant=variant, also_valid_as=also, ambiguous=bool(also) and not named, disputed=kind == "KR_FRN")
    v = f(r)
    also = others(v, None)
    return record(v, None, r.choice(cols.split("|")) if named else grey(r), variant=variant, text=variant == "sentence", also_valid_as=also, ambiguous=bool(also) and not named, disputed=variant == "coordinate")


def plan(r, n):
    """Half nulls by weight (cumulative rounding), half kinds in rotation."""
    nulls = n // 2
    total, acc, out = sum(s[0] for s in NULLS), 0, []
    for s in NULLS:
        before = round(acc * nulls / total)
        acc += s[0]
        out += [("null", s)] * (round(acc * nulls / total) - before)
    kinds = list(WRITERS)
    out += [("kind", kinds[i % len(kinds)]) for i in range(n - nulls)]
    r.shuffle(out)
    return out


def verify():
    samples = {
        "KR_BRN": "116-82-00276 124-81-00998 220-81-62517", "CREDIT_CARD": "4012888888881881 5105105105105100 371449635398431 3566002020360505 2223000048400011",
        "IBAN_CODE": "DE89370400440532013000 FR1420041010050500013M02606 GB29NWBK60161331926819 NL91ABNA0417164300 ES9121000418450200051332 IT60X0542811101000000123456",
        "UK_NHS": "9434765919 943-476-5870 4010232137", "DE_TAX_ID": "86095742719 47036892816 65929970489 57549285017 25768131411 36574261809", "FR_NIR": "295109912611193 255081416802538",
        "ES_NIF": "12345678Z X1234567L 54362315K X2482300W", "IT_FISCAL_CODE": "RCCMNL83S18D969H MRTMTT91D08F205J", "NL_BSN": "111222333 123456782", "PL_PESEL": "44051401359 02070803628", "JP_MY_NUMBER": "123456789018 641717601551 389419154673"}
    bad = 0
    for k, vs in samples.items():
        for v in vs.split():
            good = SCHEMES[k].ok(v)
            bad += not good
            print("pass" if good else "FAIL", k, v)
    assert SCHEMES["KR_RRN"].check("971013901990") == "2"
    r = Dice(3)
    for k in SCHEMES:
        for _ in range(400):
            w = WRITERS[k][0](r)
            if k in ("PHONE", "IP_ADDRESS") or w[1] in ("float", "fullwidth", "old-city"):
                continue
            assert SCHEMES[k].ok(w[0]), (k, w)
    print("writers agree; failures:", bad)


if __name__ == "__main__":
    ap = argparse.ArgumentParser()
    ap.add_argument("n", nargs="?", type=int)
    ap.add_argument("seed", nargs="?", type=int)
    ap.add_argument("out", nargs="?")
    ap.add_argument("--verify", action="store_true")
    a = ap.parse_args()
    if a.verify:
        verify()
    else:
        dice = Dice(a.seed)
        with open(a.out, "w", encoding="utf-8", newline="\n") as fh:
            for what, arg in plan(dice, a.n):
                fh.write(json.dumps(make_pos(dice, arg) if what == "kind" else make_null(dice, arg), ensure_ascii=False) + "\n")
