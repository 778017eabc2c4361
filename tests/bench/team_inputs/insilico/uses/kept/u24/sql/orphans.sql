-- employees whose manager has left
SELECT e.id FROM employee e
LEFT JOIN employee m ON m.id = e.manager_id
WHERE m.id IS NULL;
SELECT id FROM department WHERE manager_id IS NULL;
