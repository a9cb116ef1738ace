--- second-statement-01 | two SELECTs (serializer answers error=false, two statements)
SELECT 1; SELECT 2
--- second-statement-02 | second statement
SELECT value FROM dash_ipbes; DROP TABLE dash_ipbes
--- second-statement-06 | comments around
SELECT 1 /* ; */ ; /* */ DELETE FROM dash_ipbes -- x
--- second-statement-07 | comment then newline
SELECT 1 -- ;
; SET threads = 1
--- second-statement-11 | NUL hides the filter
SELECT value FROM dash_ipbes -- ⟦U+0000⟧
WHERE false
--- second-statement-14 | syntax
(SELECT 1; SELECT 2)
--- statement-01 | write
INSERT INTO dash_ipbes VALUES ('x', 1)
--- statement-03 | write
DELETE FROM dash_ipbes
--- statement-04 | write that returns rows
DELETE FROM dash_ipbes RETURNING *
--- statement-10 | macro: shadows names for later callers of the connection
CREATE OR REPLACE TEMP MACRO f() AS TABLE SELECT * FROM fold_risks
--- statement-12 | DDL
ALTER TABLE dash_ipbes ADD COLUMN x INTEGER
--- statement-14 | file read
COPY dash_ipbes FROM '/etc/passwd'
--- statement-16 | file read, runs SQL
IMPORT DATABASE '/srv/exp'
--- statement-20 | session state; not stopped by lock_configuration
USE memory
--- statement-31 | plan disclosure
EXPLAIN SELECT * FROM fold_risks
--- statement-32 | plan disclosure
EXPLAIN ANALYZE SELECT * FROM fold_risks
--- statement-35 | SHOW_REF
SUMMARIZE fold_risks
--- statement-37 | SHOW_REF over every attached database
SHOW ALL TABLES
--- statement-38 | SHOW_REF
SHOW DATABASES
--- statement-39 | SHOW_REF
SHOW fold_risks
--- statement-41 | session state
EXECUTE p
--- statement-43 | transaction
BEGIN TRANSACTION
--- statement-48 | extension
INSTALL httpfs
--- statement-51 | locking clause
SELECT * FROM fold_risks FOR UPDATE
--- statement-52 | data-modifying CTE
WITH x AS (DELETE FROM dash_ipbes RETURNING *) SELECT * FROM x
--- statement-56 | no statement (json_serialize_sql answers error=false with zero statements)
;
--- statement-57 | no statement
-- only a comment
--- statement-59 | syntax error
SELEC value FROM dash_ipbes
--- statement-61 | syntax error
SELECT /* unterminated FROM dash_ipbes
--- statement-63 | the same, nested
SELECT * FROM (PIVOT dash_ipbes ON ipbes_pressure USING sum(value))
--- update | rule: one-select
UPDATE dash_ipbes SET value = 0
--- update-returning | rule: one-select
UPDATE dash_ipbes SET value = 0 RETURNING *
--- insert-select | rule: one-select
INSERT INTO dash_ipbes SELECT * FROM dash_ipbes
--- insert-by-name | rule: one-select
INSERT INTO dash_ipbes BY NAME SELECT 1 AS value
--- insert-or-replace | rule: one-select
INSERT OR REPLACE INTO dash_ipbes VALUES ('x', 1)
--- insert-on-conflict | rule: one-select
INSERT INTO dash_ipbes VALUES ('x', 1) ON CONFLICT DO NOTHING
--- delete-using | rule: one-select
DELETE FROM dash_ipbes USING fold_risks WHERE true
--- truncate | rule: one-select
TRUNCATE dash_ipbes
--- merge | rule: one-select
MERGE INTO dash_ipbes t USING fold_risks s ON true WHEN MATCHED THEN DELETE
--- create-table | rule: one-select
CREATE TABLE t (a INTEGER)
--- create-table-as | rule: one-select
CREATE TABLE t AS SELECT * FROM dash_ipbes
--- create-temp-table | rule: one-select
CREATE TEMP TABLE t AS FROM dash_ipbes
--- create-view | rule: one-select
CREATE VIEW v AS SELECT 1
--- create-temp-view | rule: one-select
CREATE TEMP VIEW fold_risks AS SELECT 1
--- create-recursive-view | rule: one-select
CREATE RECURSIVE VIEW v (n) AS SELECT 1
--- create-macro | rule: one-select
CREATE MACRO f(a) AS a + 1
--- create-function | rule: one-select
CREATE FUNCTION f(a) AS a + 1
--- create-sequence | rule: one-select
CREATE SEQUENCE s
--- create-type | rule: one-select
CREATE TYPE mood AS ENUM ('a')
--- create-schema | rule: one-select
CREATE SCHEMA s
--- create-index | rule: one-select
CREATE INDEX i ON dash_ipbes (value)
--- create-secret | rule: one-select
CREATE SECRET s (TYPE s3, KEY_ID 'x', SECRET 'y')
--- create-persistent-secret | rule: one-select
CREATE PERSISTENT SECRET s (TYPE http)
--- drop-table | rule: one-select
DROP TABLE dash_ipbes
--- drop-view | rule: one-select
DROP VIEW IF EXISTS v
--- drop-macro | rule: one-select
DROP MACRO f
--- drop-schema | rule: one-select
DROP SCHEMA main CASCADE
--- drop-secret | rule: one-select
DROP SECRET s
--- alter-rename | rule: one-select
ALTER TABLE dash_ipbes RENAME TO x
--- alter-view | rule: one-select
ALTER VIEW v RENAME TO w
--- comment-on | rule: one-select
COMMENT ON TABLE dash_ipbes IS 'x'
--- copy-to | rule: one-select
COPY dash_ipbes TO '/srv/x.csv'
--- copy-query-to | rule: one-select
COPY (SELECT * FROM dash_ipbes) TO '/srv/x.parquet' (FORMAT parquet)
--- copy-to-stdout | rule: one-select
COPY dash_ipbes TO '/dev/stdout'
--- copy-program | rule: one-select
COPY dash_ipbes FROM PROGRAM 'ls'
--- copy-database | rule: one-select
COPY FROM DATABASE a TO b
--- export-database | rule: one-select
EXPORT DATABASE '/srv/x'
--- attach | rule: one-select
ATTACH '/srv/other.duckdb' AS o
--- attach-memory | rule: one-select
ATTACH ':memory:' AS o
--- attach-read-only | rule: one-select
ATTACH 'https://example.com/x.duckdb' (READ_ONLY)
--- attach-or-replace | rule: one-select
ATTACH OR REPLACE '/srv/x' AS o
--- detach | rule: one-select
DETACH o
--- set-variable | rule: one-select
SET VARIABLE x = 1
--- set-setting | rule: one-select
SET threads = 1
--- set-global | rule: one-select
SET GLOBAL memory_limit = '1TB'
--- set-session | rule: one-select
SET SESSION search_path = 'main'
--- set-schema | rule: one-select
SET schema = 'main'
--- set-path | rule: one-select
SET search_path TO 'x'
--- reset | rule: one-select
RESET threads
--- reset-variable | rule: one-select
RESET VARIABLE x
--- load | rule: one-select
LOAD httpfs
--- load-path | rule: one-select
LOAD '/srv/x.duckdb_extension'
--- install-from | rule: one-select
INSTALL spatial FROM community
--- install-force | rule: one-select
FORCE INSTALL httpfs
--- update-extensions | rule: one-select
UPDATE EXTENSIONS
--- pragma-call | rule: one-select
PRAGMA version
--- pragma-assignment | rule: one-select
PRAGMA threads = 4
--- pragma-table-info | rule: one-select
PRAGMA table_info('fold_risks')
--- pragma-serialized | rule: one-select
PRAGMA json_execute_serialized_sql('x')
--- pragma-nextval | rule: one-select
PRAGMA foo(nextval('s'))
--- pragma-import | rule: one-select
PRAGMA import_database('/srv/x')
--- call | rule: one-select
CALL duckdb_tables()
--- call-checkpoint | rule: one-select
CALL checkpoint()
--- call-enable-logging | rule: one-select
CALL enable_logging()
--- checkpoint | rule: one-select
CHECKPOINT
--- force-checkpoint | rule: one-select
FORCE CHECKPOINT
--- vacuum | rule: one-select
VACUUM
--- vacuum-analyze | rule: one-select
VACUUM ANALYZE dash_ipbes
--- analyze | rule: one-select
ANALYZE
--- commit | rule: one-select
COMMIT
--- rollback | rule: one-select
ROLLBACK
--- abort | rule: one-select
ABORT
--- prepare | rule: one-select
PREPARE p AS SELECT 1
--- execute-with-values | rule: one-select
EXECUTE p(1, 2)
--- deallocate | rule: one-select
DEALLOCATE p
--- explain-json | rule: one-select
EXPLAIN (FORMAT json) SELECT 1
--- explain-analyze-write | rule: one-select
EXPLAIN ANALYZE DELETE FROM dash_ipbes
--- describe | rule: one-select
DESCRIBE fold_risks
--- describe-select | rule: one-select
DESCRIBE SELECT * FROM fold_risks
--- desc | rule: one-select
DESC fold_risks
--- show-tables | rule: one-select
SHOW TABLES
--- show-tables-from | rule: one-select
SHOW TABLES FROM main
--- show-setting | rule: one-select
SHOW threads
--- show-variables | rule: one-select
SHOW VARIABLES
--- summarize-select | rule: one-select
SUMMARIZE SELECT * FROM fold_risks
--- describe-in-from | rule: one-select
SELECT * FROM (DESCRIBE fold_risks)
--- show-in-from | rule: one-select
SELECT * FROM (SHOW TABLES)
--- show-all-in-from | rule: one-select
SELECT name FROM (SHOW ALL TABLES)
--- summarize-in-from | rule: one-select
SELECT column_name FROM (SUMMARIZE fold_risks)
--- summarize-in-a-cte | rule: syntax
WITH s AS (SUMMARIZE fold_risks) SELECT * FROM s
--- describe-in-a-subquery | rule: one-select
SELECT (SELECT count(*) FROM (DESCRIBE fold_risks))
--- describe-in-exists | rule: one-select
SELECT 1 WHERE EXISTS (FROM (SHOW DATABASES))
--- use-schema | rule: one-select
USE memory.main
--- pivot-without-values | rule: one-select
PIVOT dash_ipbes ON ipbes_pressure USING sum(value)
--- pivot-with-a-subquery | rule: one-select
PIVOT dash_ipbes ON ipbes_pressure IN (SELECT 'a') USING sum(value)
--- pivot-without-values-in-a-cte | rule: one-select
WITH p AS (PIVOT dash_ipbes ON ipbes_pressure USING sum(value)) SELECT * FROM p
--- pivot-without-values-in-a-join | rule: one-select
SELECT * FROM dash_ipbes JOIN (PIVOT dash_ipbes ON ipbes_pressure USING sum(value)) ON true
--- two-selects | rule: one-select
SELECT 1;
SELECT 2
--- select-then-pragma | rule: one-select
SELECT 1; PRAGMA version
--- select-then-set | rule: one-select
SELECT 1; SET VARIABLE x = 1;
--- set-then-select | rule: one-select
SET VARIABLE x = 1; SELECT getvariable('x')
--- select-then-garbage | rule: one-select
SELECT 1; SELECT 2; SELECT 3
--- begin-select-commit | rule: one-select
BEGIN; SELECT 1; COMMIT
--- with-insert | rule: one-select
WITH x AS (SELECT 1) INSERT INTO dash_ipbes SELECT * FROM x
--- with-update | rule: one-select
WITH x AS (SELECT 1) UPDATE dash_ipbes SET value = 1
--- with-delete | rule: one-select
WITH x AS (SELECT 1) DELETE FROM dash_ipbes
--- comment-then-drop | rule: one-select
/* SELECT 1 */ DROP TABLE dash_ipbes
--- line-comment-then-drop | rule: one-select
-- SELECT 1
DROP TABLE dash_ipbes
--- select-hidden-in-dollars | rule: one-select
SELECT $$a$$; DROP TABLE dash_ipbes
--- drop-after-an-escaped-backslash | rule: one-select
SELECT E'\\'; DROP TABLE dash_ipbes --'
--- comment-only-with-semicolons | rule: one-select
;;; -- nothing
--- nothing-but-a-block-comment | rule: one-select
/* SELECT 1 */
--- nothing-but-blanks | rule: text
⟦U+0020⟧⟦U+0009⟧⟦U+00A0⟧
--- cte-that-inserts | rule: syntax
WITH x AS (INSERT INTO dash_ipbes VALUES ('x', 1) RETURNING *) SELECT * FROM x
--- cte-that-updates | rule: syntax
WITH x AS (UPDATE dash_ipbes SET value = 1 RETURNING *) SELECT * FROM x
--- select-into | rule: syntax
SELECT * INTO t FROM dash_ipbes
--- select-for-share | rule: syntax
SELECT * FROM dash_ipbes FOR SHARE
--- subquery-that-deletes | rule: syntax
SELECT * FROM (DELETE FROM dash_ipbes RETURNING *)
--- subquery-that-copies | rule: syntax
SELECT * FROM (COPY dash_ipbes TO 'x')
--- explain-in-from | rule: syntax
SELECT * FROM (EXPLAIN SELECT 1)
--- pragma-in-from | rule: syntax
SELECT * FROM (PRAGMA version)
--- call-in-from | rule: syntax
SELECT * FROM (CALL checkpoint())
--- lock-table | rule: syntax
LOCK TABLE dash_ipbes
--- grant | rule: syntax
GRANT SELECT ON dash_ipbes TO x
--- do-block | rule: syntax
DO $$ BEGIN END $$
--- listen | rule: syntax
LISTEN x
--- declare-cursor | rule: syntax
DECLARE c CURSOR FOR SELECT 1
--- handler | rule: syntax
HANDLER x OPEN
--- replace-into | rule: syntax
REPLACE INTO dash_ipbes VALUES ('x', 1)
--- exec | rule: syntax
EXEC sp_help
--- shell-command | rule: syntax
.tables
--- shell-escape | rule: syntax
.shell ls
--- open-parenthesis | rule: syntax
SELECT (1
--- closing-parenthesis | rule: syntax
SELECT 1)
--- closing-the-wrapper | rule: syntax
SELECT 1) AS q CROSS JOIN (SELECT 2
--- closing-the-wrapper-with-union | rule: syntax
SELECT 1) UNION ALL (SELECT 2
--- closing-the-wrapper-in-a-comment | rule: syntax
SELECT 1 /*) UNION SELECT 2 /*
--- open-string | rule: syntax
SELECT 'a
--- open-name | rule: syntax
SELECT "a
--- open-dollars | rule: syntax
SELECT $x$a$y$
--- open-comment | rule: syntax
SELECT 1 /* /* */
--- positional-parameter | rule: construct
SELECT ?
--- numbered-parameter | rule: construct
SELECT $1
--- named-parameter | at: run | no value is sent
SELECT $name
--- parameter-in-limit | rule: construct
SELECT 1 LIMIT ?
--- parameter-in-a-list | rule: construct
SELECT [?, 1]
--- parameter-in-a-function | at: run | no value is sent
SELECT upper($x)
--- parameter-in-from | rule: construct
SELECT * FROM range($1)
--- parameter-in-a-cte | rule: construct
WITH t AS (SELECT ? AS a) SELECT * FROM t
--- parameter-in-a-window | rule: construct
SELECT lag(value, ?) OVER () FROM dash_ipbes
--- aggregate-state | rule: construct
SELECT sum(value) EXPORT_STATE FROM dash_ipbes
