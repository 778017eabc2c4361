import factory
from factory.alchemy import SQLAlchemyModelFactory

from .models import Department, Employee, Store


class EmployeeFactory(SQLAlchemyModelFactory):
    class Meta:
        model = Employee

    name = factory.Faker("name")
    manager_id = None

    class Params:
        led = factory.Trait(manager_id=1)


class DepartmentFactory(SQLAlchemyModelFactory):
    class Meta:
        model = Department

    name = "IT"
    manager_id = factory.SelfAttribute("head.id")


class StoreFactory(SQLAlchemyModelFactory):
    class Meta:
        model = Store

    manager_id = 1
