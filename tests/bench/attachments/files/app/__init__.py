"""Room booking for a small guest house."""
from flask import Flask

from .views import bp


def create_app():
    app = Flask(__name__)
    app.config.from_object("app.config")
    app.register_blueprint(bp)
    return app
