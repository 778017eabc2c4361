import sys

from core import text as t
from core.text import *


def main(argv=sys.argv):
    for arg in argv[1:]:
        print(slug(arg), t.slug(arg, "_"))
    print(*map(slug, argv))
    assert slug("A b") == "a-b", slug
