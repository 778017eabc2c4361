from fastapi import APIRouter, Depends, HTTPException
from sqlalchemy.orm import Session

from . import service
from .dto import EmployeeDto, Filter
from .models import Department, Employee

router = APIRouter(prefix="/firm")


@router.get("/employees")
def employees(manager_id: int | None = None, db: Session = Depends()):
    return service.find(db, Filter(manager_id=manager_id))


@router.post("/employees/{pk}/boss/{manager_id}")
def set_boss(pk: int, manager_id: int, db: Session = Depends()):
    if (employee := db.get(Employee, pk)) is None:
        raise HTTPException(404)
    if employee.manager_id == manager_id:
        raise HTTPException(409, detail=f"{manager_id} leads {pk} already")
    employee.manager_id = manager_id
    db.commit()
    return EmployeeDto.model_validate(employee)


@router.get("/departments/{pk}/head")
def head(pk: int, db: Session = Depends()):
    department: Department = db.get(Department, pk)
    return {"manager_id": department.manager_id}
