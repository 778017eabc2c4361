"""Which distribution a module is imported from: `yaml` is PyYAML's, `PIL` Pillow's.

Asked in this order: the names of the distribution and the module, a table of
those that differ, and what is installed beside MINERVA, whose metadata is read
and whose code is not.
"""

from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from importlib.metadata import distribution, packages_distributions
from typing import Final

from packaging.utils import canonicalize_name

KNOWN: Final[Mapping[str, tuple[str, ...]]] = {
    "Crypto": ("pycryptodome",),
    "Cryptodome": ("pycryptodomex",),
    "IPython": ("ipython",),
    "Levenshtein": ("levenshtein", "python-levenshtein"),
    "MySQLdb": ("mysqlclient", "mysql-python"),
    "OpenGL": ("pyopengl",),
    "OpenSSL": ("pyopenssl",),
    "PIL": ("pillow",),
    "airflow": ("apache-airflow",),
    "antlr4": ("antlr4-python3-runtime",),
    "attr": ("attrs",),
    "bs4": ("beautifulsoup4",),
    "bson": ("pymongo",),
    "crispy_forms": ("django-crispy-forms",),
    "crontab": ("python-crontab",),
    "cv2": (
        "opencv-python",
        "opencv-python-headless",
        "opencv-contrib-python",
        "opencv-contrib-python-headless",
    ),
    "dateutil": ("python-dateutil",),
    "decouple": ("python-decouple",),
    "discord": ("discord-py",),
    "dns": ("dnspython",),
    "dotenv": ("python-dotenv",),
    "git": ("gitpython",),
    "github": ("pygithub",),
    "google.protobuf": ("protobuf",),
    "googleapiclient": ("google-api-python-client",),
    "gridfs": ("pymongo",),
    "grpc": ("grpcio",),
    "jose": ("python-jose",),
    "jpype": ("jpype1",),
    "jwt": ("pyjwt",),
    "ldap": ("python-ldap",),
    "magic": ("python-magic",),
    "model_utils": ("django-model-utils",),
    "multipart": ("python-multipart",),
    "openid": ("python3-openid",),
    "paho": ("paho-mqtt",),
    "pkg_resources": ("setuptools",),
    "psycopg2": ("psycopg2", "psycopg2-binary"),
    "rest_framework": ("djangorestframework",),
    "ruamel": ("ruamel-yaml",),
    "serial": ("pyserial",),
    "skimage": ("scikit-image",),
    "sklearn": ("scikit-learn",),
    "slugify": ("python-slugify",),
    "socketio": ("python-socketio",),
    "storages": ("django-storages",),
    "taggit": ("django-taggit",),
    "telegram": ("python-telegram-bot",),
    "usb": ("pyusb",),
    "websocket": ("websocket-client",),
    "win32api": ("pywin32",),
    "wx": ("wxpython",),
    "yaml": ("pyyaml",),
    "zmq": ("pyzmq",),
}
"""Modules whose distribution is named differently, as the projects' own install lines and
pipreqs' mapping (commit 0170097) have it; a test compares those that are installed."""


def distributions_of(module: str) -> tuple[str, ...]:
    """Return the distributions that `module`, a dotted name, may come from, best first.

    Names are in their canonical form (PEP 503).
    """
    return _canonical([*_known(module), *_installed_for(module), *_named_alike(module)])


def likeliest_distribution(module: str) -> str:
    """Return the distribution to install for `module`: the one known, else of its first part."""
    first = module.partition(".")[0]
    return _canonical([*_known(module), *_installed_for(module), first])[0]


def _canonical(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(str(canonicalize_name(name)) for name in names))


def _known(module: str) -> Iterator[str]:
    for name in _prefixes(module):
        yield from KNOWN.get(name, ())


def _named_alike(module: str) -> Iterator[str]:
    """Yield `google-cloud-storage` for `google.cloud.storage`, then its packages."""
    for name in _prefixes(module):
        yield name.replace(".", "-")


def _prefixes(module: str) -> Iterable[str]:
    parts = module.split(".")
    return [".".join(parts[:end]) for end in range(len(parts), 0, -1)]


def _installed_for(module: str) -> list[str]:
    """Return what is installed: of a namespace that several share, those with the module."""
    found = sorted(set(_installed().get(module.partition(".")[0], [])))
    if len(found) <= 1:
        return found
    wanted = {
        end
        for name in _prefixes(module)
        if "." in name
        for end in (f"{name.replace('.', '/')}.py", f"{name.replace('.', '/')}/__init__.py")
    }
    return [name for name in found if wanted & _files_of(name)]


@cache
def _installed() -> Mapping[str, list[str]]:
    return packages_distributions()


@cache
def _files_of(name: str) -> frozenset[str]:
    return frozenset(path.as_posix() for path in distribution(name).files or ())
