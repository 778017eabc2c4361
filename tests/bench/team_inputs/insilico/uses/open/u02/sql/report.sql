-- products and who delivers them
SELECT p.id,
       p.name AS product,
       s.name AS supplier
FROM products p
JOIN suppliers s ON s.id = p.supplier_id
ORDER BY p.name;
