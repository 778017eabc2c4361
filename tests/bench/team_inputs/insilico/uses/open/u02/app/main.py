from fastapi import Depends, FastAPI, HTTPException
from sqlalchemy.orm import Session

from . import crud
from .db import get_db
from .models import Product, Supplier
from .schemas import ProductIn, ProductOut, SupplierOut

api = FastAPI()


@api.get("/products", response_model=list[ProductOut])
def list_products(q: str = "", sort: str = "name", db: Session = Depends(get_db)):
    return crud.search(db, q, sort)


@api.post("/products", response_model=ProductOut)
def add_product(body: ProductIn, db: Session = Depends(get_db)):
    if db.query(Product).filter_by(name=body.name).first():
        raise HTTPException(409, f"{body.name} exists")
    return crud.create(db, body)


@api.get("/suppliers/{pk}", response_model=SupplierOut)
def one_supplier(pk: int, db: Session = Depends(get_db)):
    supplier = crud.get_or_none(db, Supplier, pk)
    if supplier is None:
        raise HTTPException(404)
    print("served", supplier.name, [p.name for p in supplier.products])
    return supplier


@api.get("/hello/{name}")
def hello(name: str):
    return {"hello": name}
