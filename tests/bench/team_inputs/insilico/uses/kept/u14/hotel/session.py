from sqlalchemy import create_engine
from sqlalchemy.orm import sessionmaker

Local = sessionmaker(create_engine("sqlite://"))
