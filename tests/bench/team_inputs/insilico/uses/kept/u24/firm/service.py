from sqlalchemy import func, select, text
from sqlalchemy.orm import Session, aliased, selectinload

from .dto import DepartmentDto, EmployeeDto, Filter
from .models import Department, Employee, Store

COLUMNS = {"name": Employee.name, "boss": Employee.manager_id}


def tree(db: Session, root: int):
    top = select(Employee.id, Employee.manager_id).where(Employee.id == root).cte(recursive=True)
    return db.execute(
        top.union_all(
            select(Employee.id, Employee.manager_id).join(top, Employee.manager_id == top.c.id)
        )
    ).all()


def with_boss(db: Session):
    boss = aliased(Employee, name="boss")
    return db.query(Employee, boss.name).outerjoin(boss, Employee.manager_id == boss.id).all()


def spans(db: Session) -> dict[int, int]:
    rows = db.execute(
        text("SELECT manager_id, COUNT(*) FROM employee WHERE manager_id IS NOT NULL GROUP BY manager_id")
    )
    return {manager_id: n for manager_id, n in rows}


def heads(db: Session):
    return db.query(Department.manager_id).filter(Department.manager_id.isnot(None)).all()


def mixed(db: Session):
    sql = """
        SELECT e.name, d.name
        FROM employee e
        JOIN department d ON d.manager_id = e.id
        WHERE e.manager_id IS NULL
    """
    return db.execute(text(sql)).all()


def promote(db: Session, employee: Employee, department: Department) -> None:
    department.manager_id = employee.id
    employee.manager_id = department.head.manager_id
    for report in employee.reports:
        report.manager_id = employee.id
    db.commit()


def find(db: Session, wanted: Filter) -> list[EmployeeDto]:
    query = db.query(Employee)
    if wanted.active():
        query = query.filter_by(manager_id=wanted.manager_id)
    return [EmployeeDto.model_validate(e) for e in query]


def hire(db: Session, **data) -> Employee:
    data.setdefault("manager_id", None)
    employee = Employee(**data)
    db.add(employee)
    return employee


def departments(db: Session):
    return [DepartmentDto.model_validate(d) for d in db.query(Department).filter_by(manager_id=None)]


def bulk(db: Session, rows: list[dict]) -> None:
    db.bulk_insert_mappings(Employee, [dict(name=r["name"], manager_id=r["boss"]) for r in rows])
    db.bulk_insert_mappings(Store, [dict(manager_id=r["boss"]) for r in rows])
