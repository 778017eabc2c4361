import logging
from datetime import timedelta

from django.core.mail import send_mail
from django.utils import timezone

from accounts.models import User

logger = logging.getLogger(__name__)


def remind_idle_users(days=60):
    limit = timezone.now() - timedelta(days=days)
    idle = User.objects.filter(last_login__lt=limit)
    for user in idle.iterator():
        send_mail("Your boards miss you", "Come back any time.", "hello@tidyboard.example", [user.email])
        logger.info("reminder sent to %s", user.email)
    logger.info("%d reminders", idle.count())
