from pydantic import BaseModel, ConfigDict, Field, field_validator


class ProductIn(BaseModel):
    name: str = Field(min_length=1)
    price: int
    supplier_id: int

    @field_validator("name")
    @classmethod
    def strip(cls, value: str) -> str:
        return value.strip()


class ProductOut(BaseModel):
    model_config = ConfigDict(from_attributes=True)

    id: int
    name: str
    price: int


class SupplierOut(BaseModel):
    model_config = ConfigDict(from_attributes=True)

    id: int
    name: str
    products: list[ProductOut] = []
