from sqlmodel import Session, SQLModel, create_engine

engine = create_engine("sqlite:///game.db")


def init() -> None:
    SQLModel.metadata.create_all(engine)


def session():
    with Session(engine) as db:
        yield db
