#!/usr/bin/env python3
"""DEV half: synthetic values for a personal-data detector.

    python generate.py N SEED OUT.jsonl        write N rows (deterministic)
    python generate.py --selftest              published example numbers

Row: value, kind (id or null), column, comment; extra keys:
  region     PHONE only (KR US GB DE FR)
  text       true: the value is a sentence; `inner` is the value of the kind in it
  sub        what sort of null / which writing of the kind
  collides   kinds whose published check (or full shape) this value ALSO passes by chance
  ambiguous  true: value + column name do not decide the kind (see README)
  disputed   true: people may reasonably disagree with the label (score apart)
Every number is made here at random; nobody's real data is used.
"""
import base64
import datetime as dt
import ipaddress
import json
import random
import re
import string
import sys
import uuid

R = random.Random()
D = string.digits
U = string.ascii_uppercase


def digits(n, first=None):
    s = "".join(R.choice(D) for _ in range(n))
    return (R.choice(first) + s[1:]) if first else s


def rdate(y0, y1):
    a = dt.date(y0, 1, 1).toordinal()
    b = dt.date(y1, 12, 31).toordinal()
    return dt.date.fromordinal(R.randint(a, b))


def wsum(s, w):
    return sum(int(a) * b for a, b in zip(s, w))


# ------------------------------------------------------------------ check digits
# Each function returns the check character(s) for the body.

def ck_rrn(b):
    # 주민등록번호: weights 2..9,2..5; (11 - S mod 11) mod 10.  Source: 주민등록법 시행규칙,
    # ko.wikipedia 주민등록번호, en.wikipedia Resident_registration_number, python-stdnum kr.rrn
    return str((11 - wsum(b, (2, 3, 4, 5, 6, 7, 8, 9, 2, 3, 4, 5)) % 11) % 10)


def ck_frn(b):
    # 외국인등록번호: same weights, +2: (13 - S mod 11) mod 10.  Source: ko.wikipedia 외국인등록번호
    return str((13 - wsum(b, (2, 3, 4, 5, 6, 7, 8, 9, 2, 3, 4, 5)) % 11) % 10)


def ck_brn(b):
    # 사업자등록번호: weights 1 3 7 1 3 7 1 3 5, plus tens of 5*d9; (10 - S) mod 10.
    # Source: 국세청 / OECD Korea-TIN.pdf
    return str(-(wsum(b, (1, 3, 7, 1, 3, 7, 1, 3, 5)) + int(b[8]) * 5 // 10) % 10)


def ck_luhn(b):
    # ISO/IEC 7812-1 annex B
    t = 0
    for i, c in enumerate(reversed(b)):
        d = int(c) * (2 if i % 2 == 0 else 1)
        t += d - 9 if d > 9 else d
    return str(-t % 10)


def a36(s):
    return "".join(str(int(c, 36)) for c in s)


def ck_iban(cc, bban):
    # ISO 13616 / ISO 7064 MOD 97-10 (SWIFT IBAN registry)
    return "%02d" % (98 - int(a36(bban + cc + "00")) % 97)


def ck_nhs(b):
    # NHS data dictionary: weights 10..2, mod 11; result 10 = number not used
    r = 11 - wsum(b, range(10, 1, -1)) % 11
    return {11: "0", 10: None}.get(r, str(r))


def ck_iso7064_11_10(b):
    # Steuer-ID: ISO 7064 MOD 11,10. Source: BZSt / Bundesfinanzverwaltung ELSTER Pruefung_der_Steuer-IdNr
    p = 10
    for c in b:
        s = (int(c) + p) % 10 or 10
        p = s * 2 % 11
    return str((11 - p) % 10)


def ck_nir(b):
    # INSEE: 97 - (13 digits mod 97); 2A -> 19, 2B -> 18
    n = int(b.replace("2A", "19", 1).replace("2B", "18", 1)) if b[5:7] in ("2A", "2B") else int(b)
    return "%02d" % (97 - n % 97)


def ck_dni(num):
    # Spain, Ministerio del Interior: "TRWAGMYFPDXBNJZSQVHLCKE"[n mod 23]
    return "TRWAGMYFPDXBNJZSQVHLCKE"[num % 23]


CF_ODD = dict(zip(D + U, [1, 0, 5, 7, 9, 13, 15, 17, 19, 21,
                          1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6, 8,
                          12, 14, 16, 10, 22, 25, 24, 23]))


def ck_cf(b):
    # Italy, D.M. 23/12/1976: odd places table, even places 0..25
    t = 0
    for i, c in enumerate(b):
        t += CF_ODD[c] if i % 2 == 0 else (int(c) if c.isdigit() else ord(c) - 65)
    return U[t % 26]


def ck_pesel(b):
    # Poland, gov.pl "Czym jest numer PESEL": weights 1 3 7 9 ...
    return str(-wsum(b, (1, 3, 7, 9, 1, 3, 7, 9, 1, 3)) % 10)


def ck_mynumber(b):
    # Japan, 総務省令第85号 (2014) art. 5: Qn = n+1 (n<=6), n-5 (n>=7) from the right
    t = sum(int(c) * (n + 1 if n <= 6 else n - 5) for n, c in enumerate(reversed(b), 1)) % 11
    return "0" if t <= 1 else str(11 - t)


def ok_bsn(s):
    # NL elfproef 9 8 7 6 5 4 3 2 -1. Source: RvIG Logisch Ontwerp BSN
    return len(s) == 9 and s.isdigit() and int(s) > 9999999 and wsum(s, (9, 8, 7, 6, 5, 4, 3, 2, -1)) % 11 == 0


def ck_ean(b):
    # GS1 general specifications
    return str(-sum(int(c) * (3 if i % 2 else 1) for i, c in enumerate(b)) % 10)


# ------------------------------------------------------------------ validators (for `collides`)
def _date(y, m, d):
    try:
        return dt.date(int(y), int(m), int(d))
    except ValueError:
        return None


def v_rrn(s, kinds="1234"):
    s = re.sub(r"^(\d{6})[- ](\d{7})$", r"\1\2", s)
    if not re.fullmatch(r"\d{13}", s) or s[6] not in kinds:
        return None
    d = _date((1900 if s[6] in "1256" else 2000) + int(s[:2]), s[2:4], s[4:6])
    return s if d and d <= dt.date(2026, 12, 31) else None


def is_rrn(s):
    s = v_rrn(s)
    return bool(s) and ck_rrn(s[:12]) == s[12]


def is_rrn_new(s):
    s = v_rrn(s, "34")
    return bool(s) and "201001" <= s[:6] <= "261231"


def is_frn(s):
    s = v_rrn(s, "5678")
    return bool(s) and ck_frn(s[:12]) == s[12]


def is_brn(s):
    s = re.sub(r"^(\d{3})-(\d{2})-(\d{5})$", r"\1\2\3", s)
    return bool(re.fullmatch(r"[1-9]\d{9}", s)) and s[:3] >= "101" and s[3:5] != "00" and ck_brn(s[:9]) == s[9]


def is_card(s):
    s = re.sub(r"[ -]", "", s)
    return bool(re.fullmatch(r"4\d{15}|5[1-5]\d{14}|2[2-7]\d{14}|3[47]\d{13}|35[2-8]\d{13}", s)) and ck_luhn(s[:-1]) == s[-1]


def is_iban(s):
    s = s.replace(" ", "").upper()
    return bool(re.fullmatch(r"[A-Z]{2}\d\d[A-Z0-9]{11,30}", s)) and int(a36(s[4:] + s[:4])) % 97 == 1


def is_nhs(s):
    s = re.sub(r"^(\d{3})[ -](\d{3})[ -](\d{4})$", r"\1\2\3", s)
    return bool(re.fullmatch(r"\d{10}", s)) and ck_nhs(s[:9]) == s[9]


def is_stid(s):
    s = s.replace(" ", "")
    if not re.fullmatch(r"[1-9]\d{10}", s) or ck_iso7064_11_10(s[:10]) != s[10]:
        return False
    c = sorted((s[:10].count(x) for x in D), reverse=True)
    return c[0] in (2, 3) and c[1] == 1


def is_nir(s):
    s = s.replace(" ", "")
    m = re.fullmatch(r"([12]\d{2}(?:0[1-9]|1[0-2]|[2-9]\d)(?:\d\d|2[AB])\d{6})(\d\d)", s)
    return bool(m) and ck_nir(m[1]) == m[2]


def is_nif(s):
    s = s.upper().replace("-", "").replace(" ", "").replace(".", "")
    if not re.fullmatch(r"[XYZ]?\d{7,8}[A-Z]", s) or len(s) != 9:
        return False
    n = s[:-1].replace("X", "0").replace("Y", "1").replace("Z", "2")
    return ck_dni(int(n)) == s[-1]


def is_cf(s):
    s = s.upper().replace(" ", "")
    return bool(re.fullmatch(r"[A-Z]{6}\d\d[A-EHLMPRST]\d\d[A-Z]\d{3}[A-Z]", s)) and ck_cf(s[:15]) == s[15]


def is_pesel(s):
    if not re.fullmatch(r"\d{11}", s) or ck_pesel(s[:10]) != s[10]:
        return False
    m = int(s[2:4])
    return bool(_date({0: 1900, 1: 2000, 2: 2100, 3: 2200, 4: 1800}[m // 20] + int(s[:2]), m % 20, s[4:6]))


def is_my(s):
    s = re.sub(r"^(\d{4})[ -](\d{4})[ -](\d{4})$", r"\1\2\3", s)
    return bool(re.fullmatch(r"\d{12}", s)) and ck_mynumber(s[:11]) == s[11]


def is_ssn_shape(s):
    m = re.fullmatch(r"(\d{3})([- ]?)(\d\d)\2(\d{4})", s)
    return bool(m) and m[1] not in ("000", "666") and m[1] < "900" and m[3] != "00" and m[4] != "0000"


def is_nino_shape(s):
    s = s.upper().replace(" ", "")
    return bool(re.fullmatch(r"[ABCEGHJ-PRSTW-Z][ABCEGHJ-NPRSTW-Z]\d{6}[A-D]", s)) and s[:2] not in ("BG", "GB", "NK", "KN", "TN", "NT", "ZZ")


def is_ip(s):
    try:
        ipaddress.ip_address(s)
        return True
    except ValueError:
        return False


def is_pass_shape(s):
    return bool(re.fullmatch(r"[MSRODG]\d{8}|[MSRODG]\d{3}[A-Z]\d{4}", s))


def is_dl_shape(s):
    return bool(re.fullmatch(r"(1[1-9]|2[0-68])-?\d\d-?\d{6}-?\d\d", s))


def is_phone_shape(s):
    return bool(re.fullmatch(r"01[016-9]-?\d{3,4}-?\d{4}|0[2-6]\d?-?\d{3,4}-?\d{4}|0[1-79]\d{8}|[2-9]\d\d-?[2-9]\d\d-?\d{4}", s))


def is_mac(s):
    return bool(re.search("[a-fA-F:-]", s)) and bool(re.fullmatch(r"(?i)[0-9a-f]{12}|([0-9a-f]{2}[:-]){5}[0-9a-f]{2}|([0-9a-f]{4}\.){2}[0-9a-f]{4}", s))


VALID = dict(KR_RRN=is_rrn, KR_RRN_NOCHECK=is_rrn_new, KR_FRN=is_frn, KR_BRN=is_brn, CREDIT_CARD=is_card,
             IBAN_CODE=is_iban, UK_NHS=is_nhs, DE_TAX_ID=is_stid, FR_NIR=is_nir, ES_NIF=is_nif,
             IT_FISCAL_CODE=is_cf, NL_BSN=ok_bsn, PL_PESEL=is_pesel, JP_MY_NUMBER=is_my, US_SSN=is_ssn_shape,
             UK_NINO=is_nino_shape, IP_ADDRESS=is_ip, KR_PASSPORT=is_pass_shape, KR_DRIVER_LICENSE=is_dl_shape,
             PHONE=is_phone_shape, MAC_ADDRESS=is_mac)


# ------------------------------------------------------------------ makers: return (value, sub)
def m_rrn():
    d = rdate(1935, 2019) if R.random() < .9 else dt.date(2020, R.randint(1, 9), R.randint(1, 28))
    g = R.choice("12" if d.year < 2000 else "34")
    b = d.strftime("%y%m%d") + g + "%02d%02d" % (R.randint(0, 95), R.randint(0, 99)) + R.choice("1111223")
    return sep13(b + ck_rrn(b))


def sep13(s):
    x = R.random()
    if x < .5:
        return s[:6] + "-" + s[6:], "dash"
    if x < .93:
        return s, "plain"
    return s[:6] + " " + s[6:], "space"


def m_rrn_new():
    d = dt.date.fromordinal(R.randint(dt.date(2021, 1, 1).toordinal(), dt.date(2026, 10, 31).toordinal()))
    b = d.strftime("%y%m%d") + R.choice("34")
    while True:
        s = b + digits(6)
        if ck_rrn(s[:12]) != s[12] or R.random() < .1:
            return sep13(s)


def m_frn():
    d = rdate(1945, 2015)
    g = R.choice("56" if d.year < 2000 else "78")
    # 8-9: office (even two-digit + check rule in old validators), 12th: 6..9 class of registrant
    off = "%02d" % (2 * R.randint(0, 49))
    b = d.strftime("%y%m%d") + g + off + digits(2) + R.choice("6789")
    return sep13(b + ck_frn(b))


def m_brn():
    b = str(R.choice([101, 105, 106, 107, 110, 113, 114, 116, 119, 120, 124, 128, 129, 130, 134, 142, 201, 206, 211, 214,
                      215, 220, 229, 261, 314, 401, 409, 502, 515, 601, 606, 617, 621])) + \
        R.choice(["%02d" % R.randint(1, 79), "81", "86", "87", "88", "82", "90"]) + "%04d" % R.randint(1, 9999)
    s = b + ck_brn(b)
    return (f"{s[:3]}-{s[3:5]}-{s[5:]}", "dash") if R.random() < .6 else (s, "plain")


def m_passport():
    if R.random() < .5:
        return R.choice("MMMMSRDO") + digits(8), "old"
    return R.choice("MMMMSR") + digits(3) + R.choice(U) + digits(4), "new2021"


def m_dl():
    s = R.choice("11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 28".split()) + \
        "%02d" % (R.randint(70, 125) % 100) + digits(6) + digits(2)
    return (f"{s[:2]}-{s[2:4]}-{s[4:10]}-{s[10:]}", "dash") if R.random() < .65 else (s, "plain")


def m_phone():
    reg = R.choice(["KR", "KR", "US", "GB", "DE", "FR"])
    drama = R.random() < .3
    if reg == "KR":
        if R.random() < .65:
            a, b, c = "010", digits(4, "23456789"), digits(4)
        else:
            a = R.choice(["02", "031", "032", "051", "053", "042", "062", "070", "064"])
            b = digits(4 if a == "070" else R.choice([3, 4]), "23456789") if a != "070" else digits(4, "4578")
            c = digits(4)
        k = R.randrange(6)
        v = [f"{a}-{b}-{c}", f"{a}-{b}-{c}", a + b + c, f"+82-{a[1:]}-{b}-{c}", f"+82 {a[1:]} {b} {c}", f"{a}.{b}.{c}"][k]
        return v, ["nat", "nat", "plain", "intl", "intl", "nat"][k], reg
    if reg == "US":
        a = R.choice("212 213 305 312 404 415 512 602 617 702 718 773 206 303".split())
        b, c = ("555", "01" + digits(2)) if drama else (digits(3, "23456789"), digits(4))
        if b[1:] == "11":
            b = b[0] + "27"
        k = R.randrange(6)
        v = [f"({a}) {b}-{c}", f"{a}-{b}-{c}", f"{a}.{b}.{c}", f"+1 {a} {b} {c}", f"+1-{a}-{b}-{c}", a + b + c][k]
        return v, ["nat", "nat", "nat", "intl", "intl", "plain"][k] + ("/drama" if drama else ""), reg
    if reg == "GB":
        if R.random() < .55:
            n = ("7700", "900" + digits(3)) if drama else (R.choice("7412 7525 7733 7811 7912 7985 7399".split()), digits(6))
            nat = f"0{n[0]} {n[1]}"
        else:
            n = R.choice([("20", "7946 0" + digits(3)), ("161", "496 0" + digits(3)), ("113", "496 0" + digits(3))]) if drama \
                else R.choice([("20", "7" + digits(3, "2456") + " " + digits(4)), ("161", digits(3, "2789") + " " + digits(4)),
                               ("1223", digits(6, "2357"))])
            nat = f"0{n[0]} {n[1]}" if len(n[0]) > 2 else f"0{n[0]} {n[1]}"
        k = R.randrange(5)
        v = [nat, nat, nat.replace(" ", ""), f"+44 {n[0]} {n[1]}", "+44" + n[0] + n[1].replace(" ", "")][k]
        return v, ["nat", "nat", "plain", "intl", "intl"][k] + ("/drama" if drama else ""), reg
    if reg == "DE":
        if drama:   # BNetzA Rufnummern für Medienproduktionen
            n = R.choice([("30", "23125" + digits(3)), ("69", "90009" + digits(3)), ("40", "66969" + digits(3)),
                          ("221", "4710" + digits(3)), ("89", "99998" + digits(3)), ("171", "39200" + digits(2))])
        elif R.random() < .5:
            n = (R.choice("151 152 157 160 170 171 172 173 175 176 177 178 179".split()), None)
            n = (n[0], digits(8 if n[0][:2] == "15" else R.choice([7, 7, 8] if n[0] == "176" else [7]), "123456789"))
            if n[0] == "176" and len(n[1]) == 7:
                n = (n[0], digits(8, "234567"))
        else:
            n = (R.choice("30 40 69 89 221 211 711 341 351 911".split()), digits(R.choice([7, 8]), "23456789"))
        k = R.randrange(6)
        v = [f"0{n[0]} {n[1]}", f"0{n[0]}/{n[1]}", f"0{n[0]}-{n[1]}", f"+49 {n[0]} {n[1]}", f"+49{n[0]}{n[1]}", f"0{n[0]}{n[1]}"][k]
        return v, ["nat", "nat", "nat", "intl", "intl", "plain"][k] + ("/drama" if drama else ""), reg
    # FR, ARCEP fiction ranges
    n = (R.choice(["19900", "26191", "35301", "46571", "53649", "63998"]) + digits(4)) if drama \
        else (R.choice("1 2 3 4 5 6 6 6 7".split()) + digits(8))
    if not drama and n[0] in "12345":
        n = n[0] + R.choice({"1": "4", "2": "34", "3": "28", "4": "79", "5": "56"}[n[0]]) + n[2:]
    if not drama and n[0] == "6":
        n = "6" + R.choice("0124578") + n[2:]
    if not drama and n[0] == "7":
        n = "7" + R.choice("56789") + n[2:]
    p = [n[0]] + [n[i:i + 2] for i in range(1, 9, 2)]
    k = R.randrange(5)
    v = ["0" + " ".join(p), "0" + ".".join(p), "0" + n, "+33 " + " ".join(p), "+33" + n][k]
    return v, ["nat", "nat", "plain", "intl", "intl"][k] + ("/drama" if drama else ""), reg


def m_email():
    h = R.choice(["info", "kundin", "minji", "jsmith", "p.durand", "lee_sh", "a-kowalska", "buchhaltung", "sales.team",
                  "hgd", "m.rossi", "o.conner", "user"]) + R.choice(["", digits(2), "." + digits(3), "+shop", "_" + digits(4)])
    dom = R.choice(["example.com", "example.org", "example.net", "mail.example.com", "example.co.kr", "example.de",
                    "example.fr", "example.co.uk", "postfach.example.de", "xn--bcher-kva.example.com"])
    v = f"{h}@{dom}"
    return (v.upper(), "upper") if R.random() < .08 else (v, "plain")


def m_card():
    brand = R.choice(["visa", "mc", "mc2", "amex", "jcb"])
    b = {"visa": "4" + digits(14), "mc": "5" + R.choice("12345") + digits(13),
         "mc2": str(R.randint(2221, 2720)) + digits(11), "amex": R.choice(["34", "37"]) + digits(12),
         "jcb": str(R.randint(3528, 3589)) + digits(11)}[brand]
    s = b + ck_luhn(b)
    sep = R.choice([" ", "-", ""])
    g = [s[:4], s[4:10], s[10:]] if brand == "amex" else [s[i:i + 4] for i in range(0, 16, 4)]
    return sep.join(g), brand + {" ": "/space", "-": "/dash", "": "/plain"}[sep]


def m_iban(bad=False):
    cc = R.choice("DE FR GB NL ES IT".split())
    if cc == "DE":
        b = digits(8, "12345678") + digits(10)
    elif cc == "FR":
        bank, br, acc = digits(5, "1234"), digits(5), "".join(R.choice(D + D + U) for _ in range(11))
        tr = str.maketrans(U, "12345678912345678923456789")
        # RIB key: 97 - (89*bank + 15*branch + 3*account) mod 97 (Banque de France / CFONB)
        key = 97 - (89 * int(bank) + 15 * int(br) + 3 * int(acc.translate(tr))) % 97
        b = bank + br + acc + "%02d" % key
    elif cc == "GB":
        b = R.choice(["NWBK", "BARC", "LOYD", "HBUK", "MIDL", "ABBY"]) + digits(6) + digits(8)
    elif cc == "NL":
        while True:   # eleven test over the 10-digit account (older accounts)
            acc = "0" + digits(9)
            if wsum(acc, range(10, 0, -1)) % 11 == 0:
                break
        b = R.choice(["ABNA", "INGB", "RABO", "TRIO", "SNSB"]) + acc
    elif cc == "ES":
        bank, acc = digits(8, "02"), digits(10)
        w = (1, 2, 4, 8, 5, 10, 9, 7, 3, 6)   # Consejo Superior Bancario
        f = lambda s: str({11: 0, 10: 1}.get(11 - wsum(s, w) % 11, 11 - wsum(s, w) % 11))
        b = bank + f("00" + bank) + f(acc) + acc
    else:
        x = digits(5, "01") + digits(5, "01") + digits(12)
        t = sum((CF_ODD[c] if i % 2 == 0 else int(c)) for i, c in enumerate(x))   # CIN, ABI
        b = U[t % 26] + x
    k = ck_iban(cc, b)
    if bad:
        k = "%02d" % ((int(k) - 2 + R.randint(1, 90)) % 97 + 2)
    s = cc + k + b
    return (" ".join(s[i:i + 4] for i in range(0, len(s), 4)), cc + "/grouped") if R.random() < .5 else (s, cc + "/plain")


def m_ip():
    if R.random() < .6:
        p = R.choice(["192.0.2.", "198.51.100.", "203.0.113.", "10.%d.%d." % (R.randint(0, 255), R.randint(0, 255)),
                      "192.168.%d." % R.randint(0, 255), "%d.%d.%d." % (R.choice([62, 80, 91, 121, 175, 211]), R.randint(0, 255), R.randint(0, 255))])
        return p + str(R.randint(1, 254)), "v4"
    a = ipaddress.IPv6Address((0x20010db8 << 96) | (R.getrandbits(32) << 64) | (R.getrandbits(64) if R.random() < .6 else R.getrandbits(12)))
    return R.choice([(str(a), "v6"), (a.exploded, "v6/full"), (str(a).upper(), "v6/upper")])


def m_mac():
    h = "%02x" % (R.getrandbits(8) & 0xFE) + "%010x" % R.getrandbits(40)
    p = [h[i:i + 2] for i in range(0, 12, 2)]
    return R.choice([(":".join(p), "colon"), (":".join(p).upper(), "colon"), ("-".join(p).upper(), "dash"),
                     (".".join([h[:4], h[4:8], h[8:]]), "cisco")])


def m_ssn():
    a = R.choice([x for x in range(1, 900) if x != 666])
    s = "%03d" % a, "%02d" % R.randint(1, 99), "%04d" % R.randint(1, 9999)
    return R.choice([("-".join(s), "dash"), ("-".join(s), "dash"), (" ".join(s), "space"), ("".join(s), "plain")])


def m_nhs():
    while True:
        b = digits(9, "4567")
        c = ck_nhs(b)
        if c:
            s = b + c
            return R.choice([(f"{s[:3]} {s[3:6]} {s[6:]}", "space"), (s, "plain"), (f"{s[:3]}-{s[3:6]}-{s[6:]}", "dash")])


def m_nino():
    while True:
        p = R.choice("ABCEGHJKLMNOPRSTWXYZ") + R.choice("ABCEGHJKLMNPRSTWXYZ")
        if p not in ("BG", "GB", "NK", "KN", "TN", "NT", "ZZ"):
            break
    n, x = digits(6), R.choice("ABCD")
    return R.choice([(p + n + x, "plain"), (f"{p} {n[:2]} {n[2:4]} {n[4:]} {x}", "space"), (f"{p} {n} {x}", "space2"),
                     ((p + n + x).lower(), "lower")])


def m_stid():
    while True:
        ds = list(D)
        R.shuffle(ds)
        if R.random() < .6:      # one digit twice, eight once, one absent
            ds[9] = ds[R.randrange(9)]
        else:                    # one digit three times (since 2016), two absent
            ds[9] = ds[8] = ds[R.randrange(8)]
        R.shuffle(ds)
        b = "".join(ds)
        if b[0] != "0" and not re.search(r"(\d)\1\1", b):
            s = b + ck_iso7064_11_10(b)
            return R.choice([(s, "plain"), (f"{s[:2]} {s[2:5]} {s[5:8]} {s[8:]}", "space")])


def m_nir():
    dep = R.choice(["%02d" % x for x in range(1, 96) if x != 20] + ["2A", "2B", "2A", "2B", "99"])
    b = R.choice("12") + "%02d" % R.choice(list(range(35, 100)) + list(range(0, 9))) + "%02d" % R.randint(1, 12) + dep + "%03d" % R.randint(1, 600) + "%03d" % R.randint(1, 990)
    s = b + ck_nir(b)
    return R.choice([(s, "plain"), (" ".join([s[0], s[1:3], s[3:5], s[5:7], s[7:10], s[10:13], s[13:]]), "space")])


def m_nif():
    if R.random() < .75:
        n = R.randint(1000000, 99999999)
        s = "%08d" % n
        L = ck_dni(n)
        return R.choice([(s + L, "DNI/plain"), (f"{s}-{L}", "DNI/dash"), (f"{s[:2]}.{s[2:5]}.{s[5:]}-{L}", "DNI/dots")])
    p, n = R.choice("XYZ"), digits(7)
    L = ck_dni(int(str("XYZ".index(p)) + n))
    return R.choice([(p + n + L, "NIE/plain"), (f"{p}-{n}-{L}", "NIE/dash")])


def m_cf():
    cons, vow = "BCDFGLMNPRSTVZ", "AEIOU"
    sur = "".join(R.choice(cons) for _ in range(3)) if R.random() < .8 else R.choice(cons) + R.choice(cons) + R.choice(vow)
    nam = "".join(R.choice(cons) for _ in range(3)) if R.random() < .6 else R.choice(cons) + R.choice(cons) + R.choice(vow)
    d = rdate(1935, 2015)
    day = d.day + (40 if R.random() < .5 else 0)
    b = sur + nam + d.strftime("%y") + "ABCDEHLMPRST"[d.month - 1] + "%02d" % day + \
        R.choice(["H501", "F205", "L219", "F839", "D612", "A944", "G273", "D969", "L736", "Z129", "Z330", "A662"])
    s = b + ck_cf(b)
    return R.choice([(s, "plain"), (s, "plain"), (s.lower(), "lower"), (f"{s[:3]} {s[3:6]} {s[6:11]} {s[11:]}", "space")])


def m_bsn():
    while True:
        s = digits(9, "012")
        if ok_bsn(s):
            return R.choice([(s, "plain"), (s, "plain"), (f"{s[:4]}.{s[4:6]}.{s[6:]}", "dots")])


def m_pesel():
    d = rdate(1930, 2020)
    b = "%02d%02d%02d" % (d.year % 100, d.month + (20 if d.year > 1999 else 0), d.day) + digits(4)
    return b + ck_pesel(b), "plain"


def m_my():
    b = digits(11)
    s = b + ck_mynumber(b)
    return R.choice([(s, "plain"), (s, "plain"), (f"{s[:4]} {s[4:8]} {s[8:]}", "space"), (f"{s[:4]}-{s[4:8]}-{s[8:]}", "dash")])


def m_birth():
    d = rdate(1935, 2018)
    return R.choice([(d.isoformat(), "iso"), (d.strftime("%Y%m%d"), "8"), (d.strftime("%y%m%d"), "6"), (d.strftime("%d.%m.%Y"), "de"),
                     (d.strftime("%d/%m/%Y"), "eu"), (d.strftime("%m/%d/%Y"), "us"), (f"{d.year}년 {d.month}월 {d.day}일", "ko"),
                     (d.strftime("%Y.%m.%d"), "dots")])


MAKE = dict(KR_RRN=m_rrn, KR_RRN_NOCHECK=m_rrn_new, KR_FRN=m_frn, KR_BRN=m_brn, KR_PASSPORT=m_passport, KR_DRIVER_LICENSE=m_dl,
            PHONE=m_phone, EMAIL=m_email, CREDIT_CARD=m_card, IBAN_CODE=m_iban, IP_ADDRESS=m_ip, MAC_ADDRESS=m_mac, US_SSN=m_ssn,
            UK_NHS=m_nhs, UK_NINO=m_nino, DE_TAX_ID=m_stid, FR_NIR=m_nir, ES_NIF=m_nif, IT_FISCAL_CODE=m_cf, NL_BSN=m_bsn,
            PL_PESEL=m_pesel, JP_MY_NUMBER=m_my, BIRTH_DATE=m_birth)
KINDS = list(MAKE)

COLS = {
    "KR_RRN": "jumin_no RRN 주민등록번호 주민번호 resident_reg_no JUMIN_NO ssn_kr 주민등록번호(앞뒤) rrn_no psn_rrno".split(),
    "KR_FRN": "외국인등록번호 frn alien_reg_no foreigner_no 외국인번호 ARC_NO frgnr_reg_no".split(),
    "KR_BRN": "사업자등록번호 biz_no brn bizrno 사업자번호 business_reg_no BIZ_REG_NO".split(),
    "KR_PASSPORT": "여권번호 passport_no passport PASSPORT_NUM psprt_no".split(),
    "KR_DRIVER_LICENSE": "운전면허번호 driver_license_no 면허번호 drv_lic_no DL_NO license_number".split(),
    "PHONE": "tel hp phone mobile 연락처 휴대폰 전화번호 telefon telephone cust_phone HP_NO contact_no mobilnummer".split(),
    "EMAIL": "e_mail email 이메일 mail_addr EMAIL_ADDR courriel kontakt_mail".split(),
    "CREDIT_CARD": "card_no 카드번호 credit_card cc_number pan CARD_NUM kreditkarte".split(),
    "IBAN_CODE": "iban IBAN bank_iban kontonummer_iban compte_iban payout_iban".split(),
    "IP_ADDRESS": "ip ip_address client_ip 접속IP remote_addr last_login_ip".split(),
    "MAC_ADDRESS": "mac mac_addr device_mac MAC주소 hw_address".split(),
    "US_SSN": "ssn SSN social_security_no ss_number emp_ssn".split(),
    "UK_NHS": "nhs_number nhs_no NHSNo patient_nhs nhs".split(),
    "UK_NINO": "nino national_insurance_no NI_number ni_no NINO".split(),
    "DE_TAX_ID": "steuer_id steuerid idnr Steuer-ID tin_de steueridentifikationsnummer".split(),
    "FR_NIR": "nir num_secu numero_securite_sociale NIR no_ss".split(),
    "ES_NIF": "nif dni NIF dni_nie documento_identidad".split(),
    "IT_FISCAL_CODE": "codice_fiscale cod_fisc CF codfiscale".split(),
    "NL_BSN": "bsn BSN burgerservicenummer bsn_nr".split(),
    "PL_PESEL": "pesel PESEL nr_pesel".split(),
    "JP_MY_NUMBER": "my_number マイナンバー 個人番号 mynumber kojin_bango".split(),
    "BIRTH_DATE": "birth_date dob 생년월일 BIRTH_DT geburtsdatum date_naissance birthday brthdy 생일".split(),
}
COLS["KR_RRN_NOCHECK"] = COLS["KR_RRN"]


def neutral():
    return R.choice(["col_%d" % R.randint(1, 20), "value", "field_b", "field_%s" % R.choice("acdef"), "data", "열%d" % R.randint(1, 9),
                     "attr_%d" % R.randint(1, 9), "x%d" % R.randint(1, 9), "Unnamed: %d" % R.randint(0, 9), "F%d" % R.randint(1, 30)])


# ------------------------------------------------------------------ nulls: (value, sub, telling columns)
TSC = "created_at updated_at ts event_time timestamp reg_dtm 등록일시 last_modified epoch_ms evt_ts".split()
GER = ("Rechnung Lieferung Bestellung Kundendienst Versandkosten Gutschein Werkstatt Zahlungsziel Mehrwertsteuer Lagerbestand "
       "Rückgabe Öffnungszeiten Straßenbahn Abteilung Mitarbeiterzahl Kühlschrank bezahlt storniert offen Fahrrad grün").split()
KOR = "배송완료 결제대기 반품접수 상품준비중 일반회원 서울특별시 무통장입금 정기배송 영업점 재고없음 취소 승인 가전제품 사과 노트북 검토중 미납".split()
ENG_P = ["The parcel left the warehouse on {d} and is expected within two days.", "Invoice {inv} was paid in full; no further action.",
         "Batch job {u} finished after {n} seconds.", "Order {o} contains {n} items and was split into two shipments.",
         "Please restart the printer on the second floor before noon.", "Release {ver} fixes the rounding of amounts such as {amt}.",
         "Event {ts} was received twice and deduplicated.", "Our shop is closed between Christmas and New Year."]
KOR_P = ["주문번호 {o} 건은 {d}에 출고되었습니다.", "배송이 지연되어 양해 부탁드립니다.", "송장 {trk} 조회가 되지 않습니다.",
         "재고 {n}개가 남아 있으며 다음 주에 입고 예정입니다.", "로그 시각 {ts} 기준으로 재처리했습니다.", "버전 {ver} 배포 후 오류가 사라졌습니다.",
         "총 결제금액은 {n}000원이며 부가세 포함입니다.", "반품은 수령 후 7일 이내에 가능합니다."]


def epoch13():
    k = R.random()
    ms = R.randint(1_000_000_000_000, 2_082_758_399_999)
    if k < .35:
        ms = ms // 1000 * 1000
    elif k < .5:
        ms = ms // 86_400_000 * 86_400_000
        ms += 86_400_000 if ms < 10 ** 12 else 0
    elif k < .75:     # the years real tables hold
        ms = R.randint(1_420_070_400_000, 1_798_761_599_999)
    return str(ms)


def order_no():
    y = R.randint(2015, 2026)
    ymd = rdate(2018, 2026).strftime("%Y%m%d")
    return R.choice([f"{y}-{R.randint(1, 9999999):07d}", f"ORD{ymd}-{digits(7)}", f"{ymd}{digits(8)}", f"SO-{digits(6)}", f"#{digits(5)}",
                     f"{digits(3)}-{digits(7)}-{digits(7)}", f"{ymd[2:]}-{digits(7)}", f"B{digits(9)}", f"{ymd[2:]}-{digits(6)}", f"PO/{y}/{digits(4)}",
                     f"{ymd}-{digits(6)}", digits(8, "123456789"), digits(10, "123456789")])


def n_16():
    while True:
        s = R.choice(["4", "5", "2", "9", "35", "1", "20"]) 
        s += digits(16 - len(s))
        if ck_luhn(s[:15]) != s[15]:
            return R.choice([s, s, f"{s[:4]}-{s[4:8]}-{s[8:12]}-{s[12:]}"])


def isbn():
    b = R.choice(["978", "978", "979"]) + R.choice(["3", "0", "1", "89", "2", "11"])
    b += digits(12 - len(b))
    s = b + ck_ean(b)
    return R.choice([s, s, f"{s[:3]}-{s[3:5]}-{s[5:9]}-{s[9:12]}-{s[12]}"])


def ean():
    b = R.choice(["880", "400", "350", "501", "871", "690", "040"])
    b += digits(12 - len(b))
    return b + ck_ean(b)


def tracking():
    b = digits(8)
    s10 = wsum(b, (8, 6, 4, 2, 3, 5, 9, 7))           # UPU S10
    c = {10: 0, 11: 5}.get(11 - s10 % 11, 11 - s10 % 11)
    return R.choice([f"{R.choice(['RR', 'EE', 'CP', 'LX'])}{b}{c}{R.choice(['KR', 'DE', 'GB', 'FR'])}", "1Z" + "".join(R.choice(D + U) for _ in range(6)) + digits(10),
                     digits(12, "3456"), f"JJD{digits(18)}", "0034" + digits(16), digits(13, "6"), digits(4) + "-" + digits(4) + "-" + digits(4)])


def version():
    return R.choice([f"{R.randint(0, 20)}.{R.randint(0, 30)}.{R.randint(0, 99)}", f"v{R.randint(1, 9)}.{R.randint(0, 9)}", f"{R.randint(10, 130)}.0.{R.randint(1000, 9999)}.{R.randint(1, 400)}",
                     f"{R.randint(1, 9)}.{R.randint(0, 9)}.{R.randint(0, 99)}-rc.{R.randint(1, 5)}", f"{R.randint(1, 9)}.{R.randint(0, 9)}.{R.randint(0, 9)}.{R.randint(0, 99)}"])


def amount():
    n = R.randint(100, 99_999_999)
    return R.choice([f"{n / 100:.2f}", f"{n:,}", f"₩{n:,}", f"€ {n / 100:.2f}".replace(".", ","), f"{n}원", f"-{n / 100:.2f}", f"{n}", f"USD {n / 100:,.2f}"])


def product():
    return R.choice([f"SM-{R.choice('SGA')}{digits(3)}{R.choice(U)}", f"{R.choice(U)}{R.choice(U)}-{digits(4)}-{R.choice(U)}", f"SKU{digits(8)}", f"{R.choice(U)}{digits(8)}",
                     f"{digits(6)}-{R.choice(U)}{digits(2)}", f"{R.choice(U)}{R.choice(U)}{digits(6)}{R.choice('EFGHK')}", f"{digits(3)}.{digits(3)}.{digits(2)}"])


def hashv():
    b = R.randbytes(R.choice([6, 16, 20, 32]))
    return R.choice([b.hex(), base64.b64encode(b).decode(), base64.urlsafe_b64encode(b).decode().rstrip("="), b.hex().upper(), "sha256:" + b.hex()])


def iso_dt():
    d = rdate(2005, 2030)
    t = f"{R.randint(0, 23):02d}:{R.randint(0, 59):02d}:{R.randint(0, 59):02d}"
    return R.choice([f"{d}T{t}Z", f"{d} {t}", f"{d}T{t}+09:00", f"{d} {t}.{digits(3)}", d.strftime("%Y%m%d") + t.replace(":", ""), d.strftime("%d.%m.%Y ") + t[:5]])


def null_prose():
    t = R.choice(ENG_P + KOR_P)
    return t.format(d=rdate(2015, 2028).isoformat(), inv=f"INV-{R.randint(2018, 2026)}-{digits(5)}", u=uuid.UUID(int=R.getrandbits(128), version=4), n=R.randint(2, 480),
                    o=order_no(), ver=version(), amt=amount(), ts=epoch13(), trk=tracking())


NULLS = [  # weight, sub, maker, telling columns
    (24, "epoch13", epoch13, TSC),
    (5, "iso_date", lambda: R.choice([rdate(2000, 2030).isoformat(), rdate(2000, 2030).strftime("%Y%m%d"), rdate(2000, 2030).strftime("%d.%m.%Y")]), "order_date 주문일 due_date lieferdatum valid_from email_opened_on promo_expiry_date".split()),
    (4, "datetime", iso_dt, TSC),
    (5, "epoch10", lambda: str(R.randint(1_000_000_000, 2_082_758_399)), "created_ts unix_time ts_sec modified phone_verified_at".split()),
    (9, "order_no", order_no, "order_no 주문번호 ORD_NO bestellnummer commande order_id po_number".split()),
    (5, "luhn_fail_16", n_16, "txn_id 거래번호 approval_no receipt_no".split()),
    (4, "uuid", lambda: R.choice([str, lambda u: u.hex, lambda u: "{" + str(u).upper() + "}"])(uuid.UUID(int=R.getrandbits(128), version=4)), "id uuid session_id request_id user_uuid".split()),
    (3, "isbn13", isbn, "isbn isbn13 도서번호".split()),
    (3, "ean13", ean, "ean barcode 바코드 gtin".split()),
    (4, "tracking", tracking, "tracking_no 송장번호 sendungsnummer waybill".split()),
    (2, "version", version, "version app_version fw_ver ip_stack_version".split()),
    (4, "amount", amount, "amount price 금액 betrag total montant card_fee".split()),
    (1, "coordinate", lambda: R.choice([f"{R.uniform(33, 55):.6f}", f"{R.uniform(33, 55):.5f}, {R.uniform(-5, 130):.5f}", f"{R.uniform(-5, 130):.6f}"]), "lat lng geo 위도".split()),
    (4, "invoice", lambda: R.choice([f"INV-{R.randint(2018, 2026)}-{digits(5)}", f"RE{digits(8)}", f"FA{digits(4)}-{digits(4)}", digits(9, "123456789"), f"R-{digits(6)}/{R.randint(18, 26)}"]), "invoice_no rechnungsnr 청구번호 num_facture".split()),
    (4, "product", product, "product_code 상품코드 artikelnr sku phone_model".split()),
    (4, "hash", hashv, "hash checksum etag file_digest token file_hash".split()),
    (2, "german_word", lambda: R.choice(GER), "status bezeichnung kategorie typ".split()),
    (2, "korean_word", lambda: R.choice(KOR), "상태 구분 상품명 status".split()),
    (5, "prose", null_prose, "memo 비고 note description 상담내용".split()),
    (8, "wrong_check", None, "order_no ref_no 관리번호 item_key vorgangsnr contract_id".split()),
]


def repl_last_digit(v, bad):
    i = max(j for j, c in enumerate(v) if c.isdigit())
    return v[:i] + bad + v[i + 1:]


CHECKED = ["KR_RRN", "KR_FRN", "KR_BRN", "CREDIT_CARD", "IBAN_CODE", "UK_NHS", "DE_TAX_ID", "FR_NIR", "ES_NIF", "IT_FISCAL_CODE", "NL_BSN", "PL_PESEL", "JP_MY_NUMBER"]


def wrong():
    k = R.choice(CHECKED)
    while True:
        v = m_iban(True)[0] if k == "IBAN_CODE" else MAKE[k]()[0]
        if k == "ES_NIF":
            v = v[:-1] + R.choice("TRWAGMYFPDXBNJZSQVHLCKE")
        elif k == "IT_FISCAL_CODE":
            v = v[:-1] + (R.choice(U) if v[-1].isupper() else R.choice(U).lower())
        elif k != "IBAN_CODE":
            v = repl_last_digit(v, R.choice(D))
        chk = (lambda s: ok_bsn(s.replace(".", ""))) if k == "NL_BSN" else VALID[k]
        if not chk(v) and not (k == "KR_RRN" and is_rrn_new(v)):
            return v, k


# ------------------------------------------------------------------ prose with one value
CTX = {  # Korean noun, English noun
    "KR_RRN": ("주민등록번호", "Korean resident number"), "KR_RRN_NOCHECK": ("자녀 주민번호", "child's resident number"), "KR_FRN": ("외국인등록번호", "alien registration number"),
    "KR_BRN": ("사업자번호", "business registration number"), "KR_PASSPORT": ("여권번호", "passport number"), "KR_DRIVER_LICENSE": ("운전면허번호", "driver's licence"),
    "PHONE": ("연락처", "phone"), "EMAIL": ("메일", "e-mail"), "CREDIT_CARD": ("카드번호", "card number"), "IBAN_CODE": ("IBAN", "IBAN"), "IP_ADDRESS": ("접속 IP", "IP address"),
    "MAC_ADDRESS": ("맥주소", "MAC address"), "US_SSN": ("SSN", "social security number"), "UK_NHS": ("NHS 번호", "NHS number"), "UK_NINO": ("NINO", "national insurance number"),
    "DE_TAX_ID": ("독일 세금번호(Steuer-ID)", "Steuer-ID"), "FR_NIR": ("프랑스 사회보장번호(NIR)", "NIR"), "ES_NIF": ("DNI", "DNI/NIE"), "IT_FISCAL_CODE": ("codice fiscale", "codice fiscale"),
    "NL_BSN": ("BSN", "BSN"), "PL_PESEL": ("PESEL", "PESEL"), "JP_MY_NUMBER": ("마이넘버", "My Number"), "BIRTH_DATE": ("생년월일", "date of birth"),
}
T_KO = ["고객 {n}는 {v}입니다.", "{n} {v} 확인 후 회신 부탁드립니다.", "접수 내용: {n}({v}) 변경 요청", "{n}: {v}, 배송은 다음 주 예정", "어제 문의하신 {n} {v}로 등록했습니다."]
T_EN = ["Customer gave {v} as their {n}.", "Please update the {n} to {v} before Friday.", "{n}: {v} (verified by phone support)", "We received the form; the {n} is {v}.", "Caller asked why {n} {v} was rejected."]
T_BARE = ["어제 말씀하신 {v} 다시 확인해 주세요.", "{v}로 처리 부탁드립니다.", "Please check {v} again and call back.", "See attached, {v}, thanks."]

NOSHAPE = {"US_SSN", "KR_DRIVER_LICENSE", "PHONE"}  # no check digit: plain digits are not decidable without a telling name


def row(value, kind, column, **x):
    r = {"value": value, "kind": kind, "column": column, "comment": ""}
    r.update({k: v for k, v in x.items() if v not in (None, False, [], "")})
    return r


def collide(v, own):
    fam = {"KR_RRN", "KR_RRN_NOCHECK"}
    return [k for k, f in VALID.items() if k != own and not (own in fam and k in fam) and f(v)]


def positive(kind):
    m = MAKE[kind]()
    v, sub, region = m[0], m[1], (m[2] if len(m) > 2 else None)
    col = collide(v, kind)
    telling = kind == "BIRTH_DATE" or R.random() >= .52
    weak = kind == "KR_PASSPORT" or (kind in NOSHAPE and sub.startswith(("plain", "space")))
    if R.random() < .18:
        bare = kind != "BIRTH_DATE" and R.random() < .25
        t = R.choice(T_BARE if bare else T_KO + T_EN)
        ko = bool(re.search("[가-힣]", t))
        s = t.format(n=CTX[kind][0 if ko else 1], v=v)
        c = R.choice("memo 비고 note 상담내용 content description".split()) if telling else neutral()
        return row(s, kind, c, region=region, text=True, inner=v, sub=sub, collides=col, ambiguous=bare and (weak or bool(col)))
    c = R.choice(COLS[kind]) if telling else neutral()
    return row(v, kind, c, region=region, sub=sub, collides=col, ambiguous=not telling and (weak or bool(col)))


def negative(slot):
    _, sub, f, cols = slot
    telling = R.random() >= .5
    if sub == "wrong_check":
        v, k = wrong()
        disp = k == "KR_FRN"
        if R.random() < .06:
            return row(v, None, R.choice(COLS[k]), sub="wrong:" + k, collides=collide(v, None), disputed=True)
        return row(v, None, R.choice(cols) if telling else neutral(), sub="wrong:" + k, collides=collide(v, None), disputed=disp,
                   ambiguous=not telling and bool(collide(v, None)))
    v = f()
    col = collide(v, None)
    return row(v, None, R.choice(cols) if telling else neutral(), sub=sub, collides=col, text=sub == "prose", ambiguous=not telling and bool(col),
               disputed=sub == "coordinate")


def deal(n, items):
    """n items as even as their weights allow, in exact proportion (largest remainder)."""
    tot = sum(w for w, _ in items)
    q = [(n * w // tot, n * w % tot, i) for i, (w, _) in enumerate(items)]
    cnt = [a for a, _, _ in q]
    for _, _, i in sorted(q, key=lambda t: -t[1])[:n - sum(cnt)]:
        cnt[i] += 1
    return [items[i][1] for i in range(len(items)) for _ in range(cnt[i])]


def main(n, seed, out):
    R.seed(seed)
    nn = n // 2
    rows = [negative(s) for s in deal(nn, [(s[0], s) for s in NULLS])] + [positive(k) for k in deal(n - nn, [(1, k) for k in KINDS])]
    R.shuffle(rows)
    with open(out, "w", encoding="utf-8", newline="\n") as f:
        for r in rows:
            f.write(json.dumps(r, ensure_ascii=False) + "\n")


def selftest():
    ex = [("KR_BRN", "116-82-00276"), ("KR_BRN", "124-81-00998"), ("CREDIT_CARD", "4111 1111 1111 1111"), ("CREDIT_CARD", "5555555555554444"),
          ("CREDIT_CARD", "3782 822463 10005"), ("CREDIT_CARD", "3530111333300000"), ("CREDIT_CARD", "2223003122003222"),
          ("IBAN_CODE", "DE89 3704 0044 0532 0130 00"), ("IBAN_CODE", "FR1420041010050500013M02606"), ("IBAN_CODE", "GB29NWBK60161331926819"),
          ("IBAN_CODE", "NL91ABNA0417164300"), ("IBAN_CODE", "ES9121000418450200051332"), ("IBAN_CODE", "IT60X0542811101000000123456"),
          ("UK_NHS", "943 476 5919"), ("DE_TAX_ID", "86095742719"), ("DE_TAX_ID", "65929970489"), ("DE_TAX_ID", "36 574 261 809"),
          ("FR_NIR", "2 55 08 14 168 025 38"), ("FR_NIR", "295109912611193"), ("FR_NIR", "253072B07300470"),
          ("ES_NIF", "12345678Z"), ("ES_NIF", "X1234567L"), ("ES_NIF", "54362315-K"), ("IT_FISCAL_CODE", "RCCMNL83S18D969H"), ("IT_FISCAL_CODE", "MRTMTT91D08F205J"),
          ("NL_BSN", "111222333"), ("NL_BSN", "123456782"), ("PL_PESEL", "44051401359"), ("PL_PESEL", "02070803628"), ("JP_MY_NUMBER", "123456789018"), ("JP_MY_NUMBER", "6417 1760 1551")]
    assert ck_rrn("971013901990") == "2"                    # python-stdnum docs: 971013-9019902
    assert ck_rrn("123456123456") == "3"                    # worked example, kcef21.com: sum 206, 206 mod 11 = 8
    for k, s in ex:
        ok = VALID[k](s)
        print("ok " if ok else "BAD", k, s)
    assert ck_luhn("7992739871") == "3" and ck_ean("978030640615") == "7" and ck_ean("400638133393") == "1"
    R.seed(1)
    for k in KINDS:
        if k in VALID and k not in ("PHONE", "MAC_ADDRESS"):
            for _ in range(500):
                v = MAKE[k]()[0]
                v2 = v.replace(".", "") if k == "NL_BSN" else v
                assert VALID[k](v2), (k, v)
    print("makers ok")


if __name__ == "__main__":
    if sys.argv[1:] == ["--selftest"]:
        selftest()
    else:
        main(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3])
