CREATE TABLE `member` (
  `id` INT NOT NULL,
  `name` VARCHAR(20)
);
