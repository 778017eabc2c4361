from django.db import models


class User(models.Model):
    display_name = models.CharField(max_length=80)
    email = models.EmailField(unique=True)
    timezone = models.CharField(max_length=40, blank=True)
    last_login = models.DateTimeField(null=True)

    class Meta:
        db_table = "accounts_user"
