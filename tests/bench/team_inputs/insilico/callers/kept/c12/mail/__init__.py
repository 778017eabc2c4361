from .send import Mailer, make_mailer
