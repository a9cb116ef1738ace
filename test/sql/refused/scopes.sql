--- cte-scope-04 | RECURSIVE without UNION
WITH RECURSIVE sqlite_master AS (SELECT name FROM sqlite_master) SELECT * FROM sqlite_master
--- cte-scope-06 | RECURSIVE gives no forward reference either
WITH RECURSIVE a AS (SELECT * FROM sqlite_master), sqlite_master AS (SELECT 1 AS x) SELECT * FROM a
--- cte-scope-07 | CTE of one arm does not cover the other
(WITH sqlite_master AS (SELECT 'a' AS name) SELECT name FROM sqlite_master) UNION ALL SELECT name FROM sqlite_master
--- cte-scope-09 | a qualified name skips the CTE
WITH sqlite_master AS (SELECT 1 AS x) SELECT * FROM main.sqlite_master
--- cte-scope-10 | qualified
WITH fold_risks AS (SELECT 1 AS x) SELECT * FROM pg_catalog.pg_class
--- cte-scope-13 | long s: toUpperCase() folds U+017F to S
WITH "ſqlite_master" AS (SELECT 1 AS x) SELECT * FROM sqlite_master
--- cte-scope-14 | trailing blank, if the guard trims
WITH "sqlite_master " AS (SELECT 1 AS x) SELECT * FROM sqlite_master
--- cte-scope-19 | recurring.<name>
WITH RECURSIVE t(k, v) USING KEY (k) AS (SELECT 1, 1 UNION SELECT k, v + 1 FROM recurring.sqlite_master WHERE v < 3) SELECT * FROM t
--- not-recursive | rule: relation
WITH t AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM t) SELECT * FROM t
--- forward | rule: relation
WITH a AS (SELECT * FROM b), b AS (SELECT 1) SELECT * FROM a
--- forward-recursive | rule: relation
WITH RECURSIVE a(x) AS (SELECT 1 UNION ALL SELECT y FROM b), b(y) AS (SELECT 1) SELECT * FROM a
--- mutual | rule: relation
WITH RECURSIVE a AS (SELECT 1 UNION ALL SELECT * FROM b), b AS (SELECT 1 UNION ALL SELECT * FROM a) SELECT * FROM a
--- left-arm-reads-itself | rule: relation
WITH RECURSIVE t AS (SELECT * FROM t UNION ALL SELECT 1) SELECT * FROM t
--- left-arm-of-three | rule: relation
WITH RECURSIVE t(n) AS ((SELECT 1 UNION ALL SELECT n FROM t) UNION ALL SELECT n + 1 FROM t) SELECT * FROM t
--- leaks-out-of-a-subquery | rule: relation
SELECT * FROM (WITH t AS (SELECT 1) SELECT * FROM t) a, t
--- leaks-out-of-a-scalar | rule: relation
SELECT (WITH t AS (SELECT 1) SELECT * FROM t), (SELECT * FROM t)
--- leaks-out-of-a-cte | rule: relation
WITH a AS (WITH b AS (SELECT 1) SELECT * FROM b) SELECT * FROM b
--- leaks-to-the-other-arm | rule: relation
(WITH t AS (SELECT 1) SELECT * FROM t) UNION ALL SELECT * FROM t
--- leaks-to-the-left-arm | rule: relation
SELECT * FROM t UNION ALL (WITH t AS (SELECT 1) SELECT * FROM t)
--- leaks-out-of-exists | rule: relation
SELECT 1 FROM t WHERE EXISTS (WITH t AS (SELECT 1) FROM t)
--- leaks-out-of-a-lateral | rule: relation
SELECT * FROM dash_ipbes, LATERAL (WITH t AS (SELECT 1) FROM t) l, t
--- leaks-out-of-a-recursive-body | rule: relation
WITH RECURSIVE r(n) AS (WITH s AS (SELECT 1) SELECT 1 UNION ALL SELECT n FROM r) SELECT * FROM s
--- leaks-to-a-second-order | rule: relation
SELECT * FROM (WITH t AS (SELECT 1 AS x) SELECT x FROM t) ORDER BY (SELECT max(x) FROM t)
--- alias-is-no-relation | rule: relation
SELECT * FROM (SELECT 1) AS sub, sub AS again
--- alias-of-a-join-is-no-relation | rule: relation
SELECT (SELECT count(*) FROM d) FROM dash_ipbes d
--- column-is-no-relation | rule: relation
SELECT * FROM dash_ipbes, value
--- lambda-parameter-is-no-relation | rule: relation
SELECT list_transform([1], lambda x: (SELECT count(*) FROM x))
--- window-name-is-no-relation | rule: relation
SELECT (SELECT count(*) FROM w) FROM dash_ipbes WINDOW w AS (ORDER BY value)
--- kelvin-sign | rule: relation
WITH "duc⟦U+212A⟧db_tables" AS (SELECT 1) SELECT * FROM duckdb_tables
--- kelvin-sign-the-other-way | rule: relation
WITH duckdb_tables AS (SELECT 1) SELECT * FROM "duc⟦U+212A⟧db_tables"
--- long-s | rule: relation
WITH "⟦U+017F⟧qlite_master" AS (SELECT 1) SELECT * FROM sqlite_master
--- dotted-capital-i | rule: relation
WITH "sql⟦U+0130⟧te_master" AS (SELECT 1) SELECT * FROM sqlite_master
--- sharp-s | rule: relation
WITH "pragma_databa⟦U+00DF⟧e_list" AS (SELECT 1) SELECT * FROM pragma_database_list
--- accent-in-two-forms | rule: relation
WITH "⟦U+00E9⟧" AS (SELECT 1) SELECT * FROM "e⟦U+0301⟧"
--- fullwidth | rule: relation
WITH "ｐg_class" AS (SELECT 1) SELECT * FROM pg_class
--- trailing-blank | rule: relation
WITH "pg_class " AS (SELECT 1) SELECT * FROM pg_class
--- leading-blank | rule: relation
WITH " pg_class" AS (SELECT 1) SELECT * FROM pg_class
--- zero-width | rule: relation
WITH "pg⟦U+200B⟧_class" AS (SELECT 1) SELECT * FROM pg_class
--- soft-hyphen | rule: relation
WITH "pg_cla⟦U+00AD⟧ss" AS (SELECT 1) SELECT * FROM pg_class
--- quotes-in-the-name | rule: relation
WITH """pg_class""" AS (SELECT 1) SELECT * FROM pg_class
--- with-a-schema | rule: relation
WITH pg_class AS (SELECT 1) SELECT * FROM main.pg_class
--- with-pg-catalog | rule: relation
WITH pg_class AS (SELECT 1) SELECT * FROM pg_catalog.pg_class
--- with-a-database | rule: relation
WITH t AS (SELECT 1) SELECT * FROM memory.main.t
--- recurring-without-key | rule: relation
WITH t AS (SELECT 1 AS a) SELECT * FROM recurring.t
--- recurring-outside | rule: relation
WITH RECURSIVE t(k) USING KEY (k) AS (SELECT 1 UNION SELECT k FROM t WHERE false) SELECT * FROM recurring.t
--- recurring-relation | rule: relation
SELECT * FROM recurring.fold_risks
--- recurring-of-a-database | rule: relation
WITH RECURSIVE t(k) USING KEY (k) AS (SELECT 1 UNION SELECT k FROM memory.recurring.t) SELECT * FROM t
--- constructor | rule: relation
SELECT * FROM constructor
--- proto | rule: relation
SELECT * FROM "__proto__"
--- to-string | rule: relation
SELECT * FROM "toString"
--- has-own-property | rule: relation
WITH t AS (SELECT 1) SELECT * FROM "hasOwnProperty"
--- empty-database | rule: relation
SELECT * FROM " ".fold_risks
--- shadow-then-outside | rule: relation
SELECT * FROM (WITH sqlite_master AS (SELECT 1) FROM sqlite_master), sqlite_master
--- shadow-in-an-arm | rule: relation
WITH a AS (SELECT 1 AS x) SELECT x FROM a UNION (WITH sqlite_master AS (SELECT 2) FROM sqlite_master) UNION SELECT rootpage FROM sqlite_master
--- shadow-in-its-own-body | rule: relation
WITH sqlite_master AS (SELECT name FROM sqlite_master) SELECT * FROM sqlite_master
--- shadow-in-a-nested-body | rule: relation
WITH a AS (WITH sqlite_master AS (SELECT * FROM sqlite_master) FROM sqlite_master) FROM a
--- shadow-by-a-later-one | rule: relation
WITH a AS (FROM sqlite_master), sqlite_master AS (SELECT 1) FROM a
--- shadow-in-a-pivot | rule: relation
WITH p AS (PIVOT sqlite_master ON type IN ('a') USING count(*)), sqlite_master AS (SELECT 1) FROM p
--- with-of-a-subquery-read-by-another | rule: construct
SELECT (WITH a AS (SELECT d.value AS v) SELECT (SELECT max(v) FROM a)) AS m FROM dash_ipbes d
--- with-of-a-subquery-read-by-exists | rule: construct
SELECT value FROM dash_ipbes d WHERE EXISTS (WITH a AS (SELECT d.value AS v) SELECT 1 FROM a WHERE v IN (SELECT v FROM a))
