from sqlmodel import SQLModel, create_engine

engine = create_engine("sqlite:///tunes.db")


def reset():
    SQLModel.metadata.drop_all(engine)
    SQLModel.metadata.create_all(engine)
