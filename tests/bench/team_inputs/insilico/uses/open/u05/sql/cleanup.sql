DELETE FROM ticket
WHERE status = 'closed' AND created < date('now', '-1 year');
UPDATE agent SET status = 'away';
