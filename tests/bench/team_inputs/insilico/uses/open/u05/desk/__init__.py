from flask import Flask

from .ext import db


def create_app() -> Flask:
    app = Flask(__name__)
    app.config["SQLALCHEMY_DATABASE_URI"] = "sqlite:///desk.db"
    db.init_app(app)
    from .views import bp

    app.register_blueprint(bp)
    return app
