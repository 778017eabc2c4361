from __future__ import annotations

from typing import Optional

from pydantic import AliasChoices, BaseModel, ConfigDict, Field


class EmployeeDto(BaseModel):
    model_config = ConfigDict(from_attributes=True, populate_by_name=True)

    id: int
    name: str
    boss: Optional[int] = Field(None, validation_alias=AliasChoices("manager_id", "boss"))


class DepartmentDto(BaseModel):
    model_config = ConfigDict(from_attributes=True)

    id: int
    manager_id: Optional[int] = None


class Filter(BaseModel):
    manager_id: Optional[int] = None

    def active(self) -> bool:
        return self.manager_id is not None
