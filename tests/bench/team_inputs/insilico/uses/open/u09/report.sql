SELECT payee, SUM(amount) AS spent
FROM payment
WHERE amount < 0
GROUP BY payee;
SELECT rate, amount FROM tax;
