"""The forms of secrets: keys, tokens, passwords and personal data, plain and encoded.

To add a form, add it here, and add to `test_secret_forms.py` a row that it finds and rows that it
must leave alone. Every pattern takes a bounded number of steps for each letter, because an attacker
may have written the text that is searched.
"""

import re
from binascii import Error as NotBase64Error, a2b_base64
from collections.abc import Iterator
from functools import cache, lru_cache
from typing import Final

from minerva_observability.masking.personal_patterns import Interval, personal_intervals

_KEYS: Final = r"""
    (?<![A-Za-z0-9])(?:                                   # \b would not part a key from 한글
      sk-[A-Za-z0-9_-]{8,}                                # OpenAI, Anthropic
    | [pr]k-(?=[A-Za-z_-]{0,40}[0-9])[A-Za-z0-9_-]{8,}    # a "pk-constraint" is no key
    | [spr]k_(?:live|test)_[A-Za-z0-9]{8,} | whsec_[A-Za-z0-9+/]{16,}     # Stripe
    | gh[pousr]_[A-Za-z0-9]{16,} | github_pat_[A-Za-z0-9_]{20,}           # GitHub
    | glpat-[A-Za-z0-9_-]{16,}                            # GitLab
    | xox[a-z](?:\.xox[a-z])?-[A-Za-z0-9-]{10,} | xapp-[A-Za-z0-9-]{10,}  # Slack
    | (?:AKIA|ASIA|ABIA|ACCA)[0-9A-Z]{16}(?![0-9A-Za-z])  # AWS access key id
    | AIza[A-Za-z0-9_-]{30,} | ya29\.[A-Za-z0-9_-]{16,} | GOCSPX-[A-Za-z0-9_-]{16,}   # Google
    | [A-Za-z0-9_~.-]{3}[0-9]Q~[A-Za-z0-9_~.-]{31,34}     # Azure
    | hf_[A-Za-z0-9]{16,} | gsk_[A-Za-z0-9]{16,} | xai-[A-Za-z0-9]{16,}   # models
    | lsv2_[a-z]{2}_[A-Za-z0-9_]{16,} | pplx-[A-Za-z0-9]{16,} | r8_[A-Za-z0-9]{24,}
    | npm_[A-Za-z0-9]{30,} | pypi-[A-Za-z0-9_-]{30,} | dapi[0-9a-f]{32}   # packages, Databricks
    | hv[sb]\.[A-Za-z0-9_-]{16,} | dop_v1_[0-9a-f]{32,}   # Vault, DigitalOcean
    | SG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}          # SendGrid
    | eyJ[A-Za-z0-9_-]{8,1000}(?:\.[A-Za-z0-9_-]{8,}){1,4}(?:\.[A-Za-z0-9_-]*)?   # JWT
    )
    | (?<=hooks\.slack\.com/services/)[A-Za-z0-9/]{16,}
    | (?<=://)[^\s/@:"']{0,200}:[^\s/"']{1,200}(?=@)      # user:password in an address
    | (?<=://)[^\s/@:"'?\#]{20,200}(?=@)                  # a token in its place
    | -----BEGIN[ A-Z]{0,30}PRIVATE\ KEY(?s:.*?)(?:-----END[ A-Z]{0,30}PRIVATE\ KEY-----|\Z)
    | (?i:(?<=bearer)|(?<=basic))(?:\s{1,3}|%20)
      (?P<credentials>(?=[^\s"',;]{0,400}[0-9])[A-Za-z0-9._~+/=-]{6,}|[A-Za-z0-9._~+/=-]{20,})
"""
_KEY_SIGNS: Final = (
    *("sk-", "pk-", "rk-", "k_live_", "k_test_", "whsec_", "ghp_", "gho_", "ghu_", "ghs_", "ghr_"),
    *("github_pat_", "glpat-", "xox", "xapp-", "akia", "asia", "abia", "acca", "aiza", "ya29."),
    *("gocspx-", "q~", "hf_", "gsk_", "xai-", "lsv2_", "pplx-", "r8_", "npm_", "pypi-", "dapi"),
    *("hvs.", "hvb.", "dop_v1_", "sg.", "eyj", "slack.com", "://", "private key", "bearer"),
    "basic",
)
"""A text without one of these cannot match `_KEYS`. Looking for them takes 2 µs, the pattern 90."""

_ASSIGNED: Final = r"""(?ix)
    (?P<name> (?:api|access|account|secret|private|signing|encryption|subscription|master|storage)
              [_\ -]?key
            | token | secret | credentials?
            | (?P<password> passw(?:or)?d | passphrase | (?<![A-Za-z])pwd | 비밀번호 | 패스워드 )
            | (?<=[?&;])(?:sig|signature) | x-amz-signature
            | 토큰 | 암호 | 인증\ ?키 | 비밀\ ?키 | api\ ?키 | 시크릿
    )
    (?:은|는|이|가)? (?:\\?["'])? \s{0,3} (?: (?P<equals> =|%3D) | : ) \s{0,3}
    (?:(?:bearer|basic)\s)?
    (?!\\?["']?\[masked)
    (?: (?P<quote> \\?["']) (?P<quoted> (?:(?!(?P=quote))(?:\\.|[^\n\\])){3,400} )
      | (?!(?:(?:str|string|int|integer|float|bool|boolean|bytes|none|null|nil|true|false|any|object
             |optional|secretstr|required|missing|invalid|expired|unknown|undefined|empty|varchar
             |char|text|refused|incorrect|rejected|denied)(?![A-Za-z0-9_]) | [가-힣]))
        (?P<bare> (?(password)(?(equals)[^\s"',;&)}\]]{3,}|[^\s"',;&)}\]]{6,})
                             |[^\s"',;&)}\]]{6,}) )
    )
"""
_ASSIGNED_SIGNS: Final = (
    *("key", "token", "secret", "passw", "passphrase", "pwd", "credential", "sig=", "signature="),
    *("비밀", "패스워드", "토큰", "암호", "인증", "시크릿", "api키", "api 키"),
)
_HEADERS: Final = r"""(?ix)
      (?<![A-Za-z]) (?:set-)?cookie (?:\\?["'])? \s{0,3} [=:] \s{0,3} (?:\\?["'])?
      (?P<cookie> (?=[^\n"']{0,200}=) [^\n"']{4,4000} )
    | authorization (?:\\?["'])? \s{0,3} [=:] \s{0,3} (?:\\?["'])? (?:[A-Za-z-]{2,20}(?:\s|%20))?
      (?P<authorization> (?=[^\s"',;]{0,400}[0-9=])[^\s"',;]{6,4000} | [^\s"',;]{20,4000} )
"""
_HEADER_SIGNS: Final = ("cookie", "authorization")

_PYDANTIC_INPUT: Final = re.compile(r"input_value=(.{0,200}?), input_type=", re.DOTALL)
"""Pydantic quotes the value that it refused, cut to 50 characters. That value is a user's data."""
_BASE64: Final = re.compile(r"[A-Za-z0-9+/_-]{20,}")
_WORD: Final = re.compile(r"\S+")
_TO_STANDARD: Final = str.maketrans("-_", "+/")
_QUANTUM: Final = 4
"""Letters of base64 that encode three bytes. Letters in front of a secret may shift its start."""


def secret_intervals(text: str) -> list[Interval]:
    """Return the intervals of `text` that look like a secret; they may overlap."""
    return [*_plain(text), *_encoded_words(text)]


@lru_cache(maxsize=2048)
def is_harmless(text: str) -> bool:
    """True if nothing in `text` looks like a secret. The cache helps because names recur."""
    return not secret_intervals(text)


@cache
def _pattern(source: str) -> re.Pattern[str]:
    """Compile a pattern on first use, because most processes never meet a secret."""
    return re.compile(source, re.VERBOSE)


def _plain(text: str) -> Iterator[Interval]:
    lowered = text.lower()
    for signs, source in (
        (_KEY_SIGNS, _KEYS),
        (_ASSIGNED_SIGNS, _ASSIGNED),
        (_HEADER_SIGNS, _HEADERS),
    ):
        if any(sign in lowered for sign in signs):
            for found in _pattern(source).finditer(text):
                inside = [found.span(name) for name in _VALUES if found.groupdict().get(name)]
                yield from inside or [found.span()]
    if "input_value=" in text:
        yield from (found.span(1) for found in _PYDANTIC_INPUT.finditer(text))
    yield from personal_intervals(text)


_VALUES: Final = ("credentials", "quoted", "bare", "cookie", "authorization")
"""Groups that hold the secret itself, in patterns that also match the words before it."""


def _encoded_words(text: str) -> Iterator[Interval]:
    """Yield the words that hold a secret once they are decoded: base64, or `%` escapes."""
    for found in _BASE64.finditer(text):
        if found[0].islower():  # a name, a path or a digest
            continue
        letters = found[0].translate(_TO_STANDARD)
        if any(_holds_secret(_decoded(letters[shift:])) for shift in range(_QUANTUM)):
            yield found.span()
    if "%" not in text:
        return
    from urllib.parse import unquote_plus  # noqa: PLC0415  # only if there is an escape

    for found in _WORD.finditer(text):
        if "%" in found[0] and _holds_secret(unquote_plus(found[0])):
            yield found.span()


def _decoded(letters: str) -> str:
    try:
        return a2b_base64(letters[: len(letters) // _QUANTUM * _QUANTUM]).decode("latin-1")
    except NotBase64Error:
        return ""


def _holds_secret(text: str) -> bool:
    return next(_plain(text), None) is not None
