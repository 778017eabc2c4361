from core.text import slug as slugify

try:
    from django.utils.text import slugify as dj
except ImportError:
    dj = slugify


def url(title):
    return "/" + slugify(title)


def other(title):
    return dj(title)


class View:
    clean = staticmethod(slugify)

    def get(self, title):
        return self.clean(title)


def nested(title):
    def slug(x):
        return x[:3]

    return slug(title)
