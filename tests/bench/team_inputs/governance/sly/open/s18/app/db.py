import os

from sqlalchemy import create_engine
from sqlalchemy.orm import sessionmaker

engine = create_engine(os.environ.get("DB", "postgresql:///arbor"), echo=True, pool_pre_ping=True)
Session = sessionmaker(engine)
