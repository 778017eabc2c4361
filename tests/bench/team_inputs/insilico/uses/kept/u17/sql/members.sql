INSERT INTO members (name, email) VALUES ('Lee', 'lee@example.org');
INSERT INTO contacts (email, phone) VALUES ('k@example.org', '1');
