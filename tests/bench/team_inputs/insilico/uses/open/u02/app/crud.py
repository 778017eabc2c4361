from typing import TypeVar

from sqlalchemy import func, or_, select, text, update
from sqlalchemy.orm import Session

from .models import Base, Product, Supplier
from .schemas import ProductIn

T = TypeVar("T", bound=Base)
P = TypeVar("P", bound=Product)
SORTABLE = {
    "name": Product.name,
    "price": Product.price,
}


def get_or_none(db: Session, model: type[T], pk: int) -> T | None:
    return db.get(model, pk)


def shout(product: P) -> P:
    product.name = product.name.upper()
    return product


def search(db: Session, words: str, sort: str = "name") -> list[Product]:
    stmt = (
        select(Product)
        .join(Product.supplier)
        .where(or_(Product.name.ilike(f"%{words}%"), Supplier.name.ilike(f"%{words}%")))
        .order_by(SORTABLE[sort])
    )
    return list(db.scalars(stmt))


def create(db: Session, data: ProductIn) -> Product:
    product = Product(**data.model_dump())
    db.add(product)
    db.commit()
    return product


def rename(db: Session, pk: int, new: str) -> None:
    db.execute(update(Product).where(Product.id == pk).values(name=new))


def rename_supplier(db: Session, pk: int, new: str) -> None:
    db.execute(update(Supplier).where(Supplier.id == pk).values(name=new))


def patch(db: Session, product: Product, changes: dict) -> Product:
    for name, value in changes.items():
        setattr(product, name, value)
    return product


def by_name(db: Session, supplier: Supplier) -> dict[str, Product]:
    rows = db.scalars(select(Product).filter_by(supplier_id=supplier.id))
    return {p.name: p for p in rows}


def cheapest(db: Session) -> list[tuple[str, int]]:
    rows = db.execute(text("SELECT p.name, p.price FROM products p ORDER BY p.price LIMIT 3"))
    return [(r.name, r.price) for r in rows]


def initials(db: Session):
    stmt = select(func.substr(Product.name, 1, 1).label("letter"), func.count())
    return db.execute(stmt.group_by("letter")).all()
