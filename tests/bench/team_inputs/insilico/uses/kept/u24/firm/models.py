from sqlalchemy import Column, ForeignKey, Index, Integer, String, and_, select
from sqlalchemy.ext.associationproxy import association_proxy
from sqlalchemy.orm import backref, column_property, declarative_base, foreign, relationship, remote

Base = declarative_base()


class Employee(Base):
    __tablename__ = "employee"

    id = Column(Integer, primary_key=True)
    name = Column(String(80))
    manager_id = Column(Integer, ForeignKey("employee.id"), index=True)
    department_id = Column(ForeignKey("department.id"))

    manager = relationship(
        "Employee",
        foreign_keys=[manager_id],
        remote_side=[id],
        backref=backref("reports", order_by="Employee.name"),
    )
    peers = relationship(
        "Employee",
        primaryjoin="remote(Employee.manager_id) == foreign(Employee.manager_id)",
        viewonly=True,
        uselist=True,
    )
    department = relationship(
        "Department",
        foreign_keys="Employee.department_id",
        back_populates="staff",
    )

    __table_args__ = (Index("ix_emp", "department_id", "manager_id"),)

    @property
    def is_boss(self):
        return self.manager_id is None

    @classmethod
    def bosses(cls):
        return select(cls).where(cls.manager_id.is_(None))


class Department(Base):
    __tablename__ = "department"

    id = Column(Integer, primary_key=True)
    name = Column(String(40))
    manager_id = Column(ForeignKey("employee.id"))
    head = relationship(Employee, foreign_keys=[manager_id])
    staff = relationship(
        Employee,
        primaryjoin=lambda: and_(Department.id == Employee.department_id, Employee.manager_id != None),
        foreign_keys=lambda: [Employee.department_id],
        back_populates="department",
    )

    def led_by(self, employee):
        return self.manager_id == employee.id


class Store(Base):
    __tablename__ = "store"

    id = Column(Integer, primary_key=True)
    manager_id = Column(Integer)
    keeper = relationship(
        Employee, primaryjoin="foreign(Store.manager_id) == Employee.id"
    )
