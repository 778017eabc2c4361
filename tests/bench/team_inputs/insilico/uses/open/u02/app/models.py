from __future__ import annotations

from sqlalchemy import ForeignKey, Index, String, UniqueConstraint
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column, relationship


class Base(DeclarativeBase):
    pass


class Supplier(Base):
    __tablename__ = "suppliers"

    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(String(60), unique=True)
    products: Mapped[list[Product]] = relationship(
        back_populates="supplier", order_by="Product.name"
    )


class Product(Base):
    __tablename__ = "products"
    __table_args__ = (
        UniqueConstraint("supplier_id", "name", name="uq_supplier_product"),
        Index("ix_product_name", "name"),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(String(120))
    price: Mapped[int]
    supplier_id: Mapped[int] = mapped_column(ForeignKey("suppliers.id"))
    supplier: Mapped[Supplier] = relationship(back_populates="products")

    def __repr__(self) -> str:
        return f"<Product {self.name!r} of {self.supplier.name!r}>"

    def same_brand(self) -> bool:
        return self.supplier.name.lower() == "own"
