Statements that are no query, and queries that hold another statement.

--- SHOW SCHEMAS | text
SHOW SCHEMAS
--- SHOW TABLES | text
SHOW TABLES FROM p_0000000000000bad
--- SHOW CATALOGS | text
SHOW CATALOGS
--- SHOW CREATE VIEW | text
SHOW CREATE VIEW amounts
--- SHOW FUNCTIONS | text
SHOW FUNCTIONS
--- SHOW SESSION | text
SHOW SESSION
--- SHOW GRANTS | text
SHOW GRANTS
--- SHOW STATS | text
SHOW STATS FOR p_0000000000000bad.amounts
--- SHOW STATS of a query | text
SHOW STATS FOR (SELECT * FROM p_0000000000000bad.amounts)
--- DESCRIBE | text
DESCRIBE p_0000000000000bad.amounts
--- DESCRIBE OUTPUT | text
DESCRIBE OUTPUT p
--- EXPLAIN | text
EXPLAIN SELECT * FROM amounts
--- EXPLAIN ANALYZE | text
EXPLAIN ANALYZE VERBOSE SELECT * FROM amounts
--- EXPLAIN of input and output | text
EXPLAIN (TYPE IO, FORMAT JSON) SELECT * FROM amounts
--- EXPLAIN within parentheses | wrapped
(EXPLAIN SELECT 1)
--- SHOW within parentheses | wrapped
(SHOW SCHEMAS)
--- SHOW in FROM | wrapped
SELECT * FROM (SHOW SCHEMAS)
--- PREPARE | text
PREPARE p FROM SELECT 1
--- EXECUTE | text
EXECUTE p USING 1
--- EXECUTE IMMEDIATE | text
EXECUTE IMMEDIATE 'SELECT * FROM p_0000000000000bad.amounts'
--- EXECUTE IMMEDIATE with values | text
EXECUTE IMMEDIATE 'SELECT ?' USING 1
--- DEALLOCATE | text
DEALLOCATE PREPARE p
--- WITH SESSION | text
WITH SESSION query_max_memory = '1TB' SELECT 1
--- WITH SESSION of the catalog | text
WITH SESSION iceberg.sorted_writing_enabled = false SELECT 1
--- WITH SESSION behind a comment | text
WITH /* AS ( */ SESSION query_max_planning_time = '1h' SELECT 1
--- WITH SESSION within parentheses | wrapped
(WITH SESSION query_max_memory = '1TB' SELECT 1)
--- WITH FUNCTION | text
WITH FUNCTION f(x bigint) RETURNS bigint RETURN x + 1 SELECT f(1)
--- WITH FUNCTION that loops | text
WITH FUNCTION f() RETURNS bigint BEGIN DECLARE n bigint DEFAULT 0; WHILE true DO SET n = n + 1; END WHILE; RETURN n; END SELECT f()
--- WITH FUNCTION in Python | text
WITH FUNCTION f(x bigint) RETURNS bigint LANGUAGE PYTHON WITH (handler = 'f') AS $$def f(x): return 1$$ SELECT f(1)
--- WITH FUNCTION in a subquery | text
SELECT * FROM (WITH FUNCTION f() RETURNS bigint RETURN 1 SELECT f())
--- SET SESSION | text
SET SESSION query_max_execution_time = '1h'
--- RESET SESSION | text
RESET SESSION query_max_execution_time
--- SET SESSION AUTHORIZATION | text
SET SESSION AUTHORIZATION foldgate
--- SET ROLE | text
SET ROLE admin
--- SET TIME ZONE | text
SET TIME ZONE '+01:00'
--- SET PATH | text
SET PATH iceberg.p_0000000000000bad
--- USE | text
USE iceberg.p_0000000000000bad
--- CALL | text
CALL iceberg.system.register_table('p_00000000000000ee', 'x', 'local:///catalog')
--- CALL of the system | text
CALL system.runtime.kill_query('x', 'y')
--- CREATE TABLE AS | text
CREATE TABLE t AS SELECT * FROM amounts
--- CREATE VIEW with the rights of its owner | text
CREATE OR REPLACE VIEW amounts SECURITY DEFINER AS SELECT * FROM s_0000000000000bad.amounts
--- CREATE FUNCTION | text
CREATE FUNCTION f() RETURNS bigint RETURN 1
--- CREATE CATALOG | text
CREATE CATALOG c USING memory
--- CREATE SCHEMA | text
CREATE SCHEMA p_00000000000000ef
--- DROP VIEW | text
DROP VIEW amounts
--- ALTER VIEW | text
ALTER VIEW amounts SET AUTHORIZATION foldgate
--- ALTER TABLE EXECUTE | text
ALTER TABLE s_0000000000000bad.amounts EXECUTE add_files(location => 'local:///x', format => 'PARQUET')
--- INSERT | text
INSERT INTO amounts VALUES (1, 'x')
--- INSERT in a CTE | wrapped
WITH a AS (INSERT INTO amounts VALUES (1, 'x')) SELECT 1
--- DELETE | text
DELETE FROM s_0000000000000bad.amounts
--- MERGE | text
MERGE INTO s_0000000000000bad.amounts a USING amounts b ON a.n = b.n WHEN MATCHED THEN DELETE
--- TRUNCATE | text
TRUNCATE TABLE s_0000000000000bad.amounts
--- GRANT | text
GRANT SELECT ON s_0000000000000bad.amounts TO USER p_00000000000000ee
--- REVOKE | text
REVOKE SELECT ON amounts FROM USER foldgate
--- COMMENT | text
COMMENT ON VIEW amounts IS 'x'
--- ANALYZE | text
ANALYZE s_0000000000000bad.amounts
--- REFRESH | text
REFRESH MATERIALIZED VIEW amounts
--- START TRANSACTION | text
START TRANSACTION READ ONLY
--- COMMIT | text
COMMIT
--- second statement | text
SELECT 1; SELECT * FROM p_0000000000000bad.amounts
--- closed parenthesis | text
SELECT 1) AS q, (SELECT word FROM p_0000000000000bad.amounts
--- closed parenthesis behind a string | text
SELECT ')' ) AS q, LATERAL (SELECT 1
--- closed parenthesis behind a quote in a comment | text
SELECT 1 /* ' */ ) AS q CROSS JOIN ( /* ' */ SELECT 2
--- closed parenthesis behind a comment that looks nested | text
SELECT 1 /* /* */ ) AS q, (SELECT 2 /* */
--- closed parenthesis behind a carriage return | text
SELECT 1 -- x⟦U+000D⟧) AS q, (SELECT 2
--- comment that takes in the end of the wrapper | text
SELECT 1 /*
--- comment of a line that takes in the end of the wrapper | rows
SELECT 1 --
--- string that takes in the end of the wrapper | text
SELECT '1
--- quoted name that takes in the end of the wrapper | text
SELECT 1 AS "q
--- backslash before a quote | text
SELECT '\' ) AS q, (SELECT '
--- string with escapes that do not end it | rows
SELECT U&'\0027) AS q, (SELECT \0027'
--- string with another escape sign | rows
SELECT U&'!0027' UESCAPE '!'
--- name with escapes | wrapped
SELECT * FROM U&"\0069nformation_schema".tables
--- letters that become ASCII in capitals | text
ſHOW ſCHEMAſ
--- keyword with such a letter inside | text
SELECT 1 WHERE EXIſTS (SELECT 1)
--- blank beyond ASCII | text
SELECT⟦U+00A0⟧1
--- byte order mark | text
⟦U+FEFF⟧SELECT 1
--- backquotes | text
SELECT * FROM `p_0000000000000bad`.amounts
--- parameter | text
SELECT ?
--- parameter in LIMIT | text
SELECT 1 LIMIT ?
--- parameter that looks like a pattern | run
SELECT pattern(?)
--- ORDER BY that the wrapper would lose | rows
SELECT n FROM amounts ORDER BY n DESC
