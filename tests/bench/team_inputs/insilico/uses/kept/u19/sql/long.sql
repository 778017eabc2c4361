SELECT name, duration FROM track WHERE duration > 600;
SELECT duration FROM podcast;
