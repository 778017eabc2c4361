CREATE TABLE jobs (name TEXT, priority INTEGER CHECK (priority > 0));
CREATE TABLE mail (body TEXT, priority TEXT);
