from firm.dto import EmployeeDto
from firm.factories import DepartmentFactory, EmployeeFactory, StoreFactory
from firm.models import Employee


def test_boss():
    employee = EmployeeFactory.build(manager_id=4)
    assert EmployeeDto.model_validate(employee).boss == 4
    assert EmployeeDto(manager_id=3).boss == 3
    assert EmployeeFactory.build(led=True).manager_id == 1
    assert Employee().is_boss


def test_others():
    assert StoreFactory.build(manager_id=2).manager_id == 2
    assert DepartmentFactory.build(manager_id=3).manager_id == 3
