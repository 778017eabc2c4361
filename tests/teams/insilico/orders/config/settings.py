"""Settings of the web shop and its parcel desk."""
from pathlib import Path

BASE_DIR = Path(__file__).resolve().parent.parent

INSTALLED_APPS = [
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "rest_framework",
    "django_filters",
    "shop",
    "logistics",
    "reports",
]

DATABASES = {
    "default": {
        "ENGINE": "django.db.backends.postgresql",
        "NAME": "shop",
    }
}

EMAIL_HOST = "smtp.internal"
DEFAULT_FROM_EMAIL = "orders@shop.example"

# Minimum stock before the purchaser gets a mail.
LOW_STOCK_THRESHOLD = 5
PRICE_FEED_URL = "https://feeds.example/price/v2.json"

SHOP = {
    "price": {"currency": "EUR", "decimals": 2},
    "quantity": {"max_per_line": 99},
    "status": "open",
    "weight_unit": "g",
}

REST_FRAMEWORK = {
    "DEFAULT_FILTER_BACKENDS": ["django_filters.rest_framework.DjangoFilterBackend"],
    "EXCEPTION_HANDLER": "shop.views.exception_with_status",
}

LOGGING = {
    "version": 1,
    "formatters": {
        "line": {"format": "%(asctime)s %(levelname)s %(reference)s %(message)s"},
    },
    "loggers": {"shop": {"level": "INFO"}},
}
