"""Settings of a made-up clinic; nothing here is about a patient's status."""

INSTALLED_APPS = ["patients", "billing"]
STATUS_PAGE = {"status": "https://status.example.org", "phone": "+82-2-000-0000"}
LOGGING = {"version": 1, "status": "INFO"}
EXPORT = {"birth_date": "%Y-%m-%d"}
