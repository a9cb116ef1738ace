--- catalogue-escape-01 | built-in view outside the allow list
SELECT * FROM sqlite_master
--- catalogue-escape-02 | built-in view outside the allow list
SELECT * FROM sqlite_schema
--- catalogue-escape-11 | built-in view outside the allow list
SELECT * FROM duckdb_constraints
--- catalogue-escape-14 | built-in view outside the allow list
SELECT * FROM pg_tables
--- catalogue-escape-17 | built-in view outside the allow list
SELECT * FROM pragma_database_list
--- catalogue-escape-18 | system schema
SELECT * FROM information_schema.tables
--- catalogue-escape-21 | catalog-qualified system view
SELECT * FROM system.main.duckdb_tables
--- catalogue-escape-22 | temp catalog
SELECT * FROM temp.main.fold_risks
--- catalogue-escape-23 | another attached database
SELECT * FROM other_tenant.main.fold_risks
--- catalogue-escape-24 | another attached database
SELECT * FROM other_tenant.fold_risks
--- catalogue-escape-25 | unknown relation
SELECT * FROM unknown_relation
--- catalogue-escape-29 | second arm of a UNION
SELECT value FROM dash_ipbes UNION ALL SELECT rootpage FROM sqlite_master
--- catalogue-escape-30 | fourth arm (serialized as nested or as children)
SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT rootpage FROM sqlite_master
--- catalogue-escape-31 | EXCEPT
SELECT value FROM dash_ipbes EXCEPT SELECT rootpage FROM sqlite_master
--- catalogue-escape-32 | INTERSECT
SELECT value FROM dash_ipbes INTERSECT SELECT rootpage FROM sqlite_master
--- catalogue-escape-33 | UNION BY NAME
SELECT ipbes_pressure FROM dash_ipbes UNION BY NAME SELECT sql AS ipbes_pressure FROM sqlite_master
--- catalogue-escape-34 | scalar subquery
SELECT (SELECT max(sql) FROM sqlite_master) FROM dash_ipbes
--- catalogue-escape-35 | EXISTS
SELECT value FROM dash_ipbes WHERE EXISTS (SELECT 1 FROM sqlite_master)
--- catalogue-escape-39 | star replace list: getTableNames() does not see it
SELECT * REPLACE ((SELECT max(sql) FROM sqlite_master) AS ipbes_pressure) FROM dash_ipbes
--- catalogue-escape-40 | window ORDER BY
SELECT sum(value) OVER (ORDER BY (SELECT max(sql) FROM sqlite_master)) FROM dash_ipbes
--- catalogue-escape-43 | aggregate FILTER
SELECT count(*) FILTER (WHERE (SELECT count(*) FROM sqlite_master) > 0) FROM dash_ipbes
--- catalogue-escape-44 | ORDER BY in an aggregate
SELECT string_agg(ipbes_pressure, ',' ORDER BY (SELECT max(sql) FROM sqlite_master)) FROM dash_ipbes
--- catalogue-escape-48 | HAVING
SELECT value FROM dash_ipbes GROUP BY value HAVING (SELECT count(*) FROM sqlite_master) > 0
--- catalogue-escape-55 | VALUES in FROM
SELECT * FROM (VALUES ((SELECT max(sql) FROM sqlite_master))) v(x)
--- catalogue-escape-57 | unnest argument
SELECT * FROM unnest((SELECT list(sql) FROM sqlite_master))
--- catalogue-escape-58 | lateral
SELECT * FROM dash_ipbes, LATERAL (SELECT max(sql) FROM sqlite_master WHERE rootpage < value) l
--- catalogue-escape-59 | positional join
SELECT * FROM dash_ipbes POSITIONAL JOIN sqlite_master
--- catalogue-escape-68 | SHOW_REF in FROM
SELECT * FROM (SHOW DATABASES)
--- catalogue-escape-70 | time travel
SELECT * FROM fold_risks AT (VERSION => 1)
--- view-duckdb-columns | rule: relation
SELECT * FROM duckdb_columns
--- view-duckdb-databases | rule: relation
SELECT * FROM duckdb_databases
--- view-duckdb-indexes | rule: relation
SELECT * FROM duckdb_indexes
--- view-duckdb-logs | rule: relation
SELECT * FROM duckdb_logs
--- view-duckdb-schemas | rule: relation
SELECT * FROM duckdb_schemas
--- view-duckdb-tables | rule: relation
SELECT * FROM duckdb_tables
--- view-duckdb-types | rule: relation
SELECT * FROM duckdb_types
--- view-duckdb-views | rule: relation
SELECT * FROM duckdb_views
--- view-sqlite-temp-master | rule: relation
SELECT * FROM sqlite_temp_master
--- view-sqlite-temp-schema | rule: relation
SELECT * FROM sqlite_temp_schema
--- view-pg-class | rule: relation
SELECT * FROM pg_class
--- view-pg-type | rule: relation
SELECT * FROM pg_type
--- view-pg-settings | rule: relation
SELECT * FROM pg_settings
--- information-schema-columns | rule: relation
SELECT table_name, column_name FROM information_schema.columns
--- information-schema-schemata | rule: relation
TABLE information_schema.schemata
--- pg-catalog-class | rule: relation
SELECT relname FROM pg_catalog.pg_class
--- quoted-schema | rule: relation
SELECT * FROM "information_schema"."tables"
--- schema-in-upper-case | rule: relation
SELECT * FROM MAIN.fold_risks
--- main-schema | rule: relation
SELECT * FROM main.fold_risks
--- system-schema | rule: relation
SELECT * FROM system.information_schema.tables
--- memory-database | rule: relation
SELECT * FROM memory.main.fold_risks
--- temp-schema | rule: relation
SELECT * FROM temp.fold_risks
--- three-parts-quoted | rule: relation
SELECT * FROM "r_0"."main"."fold_risks"
--- relation-of-an-internal-name | rule: relation
SELECT * FROM point_of_view
--- relation-not-in-the-catalogue | rule: relation
SELECT * FROM secrets
--- relation-with-a-blank | rule: relation
SELECT * FROM "fold_risks "
--- relation-with-a-leading-blank | rule: relation
SELECT * FROM " fold_risks"
--- relation-with-a-zero-width-space | rule: relation
SELECT * FROM "fold⟦U+200B⟧_risks"
--- relation-with-kelvin-sign | rule: relation
SELECT * FROM "fold_ris⟦U+212A⟧s"
--- relation-with-long-s | rule: relation
SELECT * FROM "fold_ri⟦U+017F⟧ks"
--- relation-with-fullwidth-letters | rule: relation
SELECT * FROM "ｆold_risks"
--- relation-with-dotless-i | rule: relation
SELECT * FROM "FOLD_R⟦U+0130⟧SKS"
--- relation-in-combining-form | rule: relation
SELECT * FROM "fold_risks⟦U+0301⟧"
--- relation-as-one-quoted-name | rule: relation
SELECT * FROM "main.fold_risks"
--- relation-in-a-where | rule: relation
SELECT 1 FROM dash_ipbes WHERE value IN (SELECT table_oid FROM duckdb_tables)
--- relation-in-a-case | rule: relation
SELECT CASE WHEN (SELECT count(*) FROM sqlite_master) > 0 THEN 1 ELSE 0 END
--- relation-in-a-between | rule: relation
SELECT 1 BETWEEN 0 AND (SELECT count(*) FROM sqlite_master)
--- relation-in-a-cast | rule: relation
SELECT (SELECT name FROM sqlite_master)::VARCHAR
--- relation-in-a-collate | rule: relation
SELECT (SELECT name FROM sqlite_master) COLLATE NOCASE
--- relation-in-a-list | rule: relation
SELECT [(SELECT name FROM sqlite_master)]
--- relation-in-a-struct | rule: relation
SELECT {'a': (SELECT name FROM sqlite_master)}
--- relation-in-a-map | rule: relation
SELECT MAP {'a': (SELECT name FROM sqlite_master)}
--- relation-in-a-slice | rule: relation
SELECT [1, 2][(SELECT count(*) FROM sqlite_master)]
--- relation-in-an-argument | rule: relation
SELECT upper((SELECT name FROM sqlite_master))
--- relation-in-a-method | rule: relation
SELECT ('' || (SELECT max(name) FROM sqlite_master)).upper()
--- relation-in-a-lambda-body | rule: relation
SELECT list_transform([1], lambda x: (SELECT count(*) FROM sqlite_master))
--- relation-in-a-comprehension | rule: relation
SELECT [x FOR x IN (SELECT list(name) FROM sqlite_master)]
--- relation-in-a-comprehension-filter | rule: relation
SELECT [x FOR x IN [1] IF (SELECT count(*) FROM sqlite_master) > 0]
--- relation-in-any | rule: relation
SELECT 1 = ANY (SELECT rootpage FROM sqlite_master)
--- relation-in-all | rule: relation
SELECT 1 <> ALL (SELECT rootpage FROM sqlite_master)
--- relation-in-not-in | rule: relation
SELECT 1 NOT IN (SELECT rootpage FROM sqlite_master)
--- relation-in-array | rule: relation
SELECT ARRAY(SELECT name FROM sqlite_master)
--- relation-in-a-partition | rule: relation
SELECT sum(value) OVER (PARTITION BY (SELECT max(name) FROM sqlite_master)) FROM dash_ipbes
--- relation-in-a-frame | rule: relation
SELECT sum(value) OVER (ORDER BY value ROWS (SELECT count(*) FROM sqlite_master) PRECEDING) FROM dash_ipbes
--- relation-in-a-window-argument | rule: relation
SELECT lag(value, (SELECT count(*) FROM sqlite_master)) OVER () FROM dash_ipbes
--- relation-in-a-window-default | rule: relation
SELECT lag(value, 1, (SELECT count(*) FROM sqlite_master)) OVER () FROM dash_ipbes
--- relation-in-a-window-filter | rule: relation
SELECT sum(value) FILTER (WHERE (SELECT true FROM sqlite_master)) OVER () FROM dash_ipbes
--- relation-in-an-argument-order | rule: relation
SELECT list(value ORDER BY (SELECT count(*) FROM sqlite_master)) OVER () FROM dash_ipbes
--- relation-in-a-named-window | rule: relation
SELECT sum(value) OVER w FROM dash_ipbes WINDOW w AS (ORDER BY (SELECT max(name) FROM sqlite_master))
--- relation-in-within-group | rule: relation
SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY (SELECT max(rootpage) FROM sqlite_master)) FROM dash_ipbes
--- relation-in-qualify | rule: relation
SELECT value FROM dash_ipbes QUALIFY row_number() OVER () > (SELECT count(*) FROM sqlite_master)
--- relation-in-group-by | rule: relation
SELECT count(*) FROM dash_ipbes GROUP BY (SELECT max(name) FROM sqlite_master)
--- relation-in-grouping-sets | rule: relation
SELECT count(*) FROM dash_ipbes GROUP BY GROUPING SETS (((SELECT max(name) FROM sqlite_master)))
--- relation-in-order-by | rule: relation
SELECT value FROM dash_ipbes ORDER BY (SELECT max(name) FROM sqlite_master)
--- relation-in-limit | rule: relation
SELECT value FROM dash_ipbes LIMIT (SELECT count(*) FROM sqlite_master)
--- relation-in-limit-percent | rule: relation
SELECT value FROM dash_ipbes LIMIT (SELECT count(*) FROM sqlite_master)%
--- relation-in-offset | rule: relation
SELECT value FROM dash_ipbes OFFSET (SELECT count(*) FROM sqlite_master)
--- relation-in-distinct-on | rule: relation
SELECT DISTINCT ON ((SELECT max(name) FROM sqlite_master)) value FROM dash_ipbes
--- relation-in-a-join-condition | rule: relation
SELECT * FROM dash_ipbes a JOIN dash_ipbes b ON (SELECT true FROM sqlite_master)
--- relation-in-an-asof-join | rule: relation
SELECT * FROM dash_ipbes a ASOF JOIN sqlite_master b ON a.value >= b.rootpage
--- relation-in-a-semi-join | rule: relation
SELECT * FROM dash_ipbes SEMI JOIN sqlite_master ON true
--- relation-in-a-natural-join | rule: relation
SELECT * FROM dash_ipbes NATURAL JOIN sqlite_master
--- relation-in-a-cross-join | rule: relation
SELECT * FROM dash_ipbes CROSS JOIN sqlite_master
--- relation-in-nested-parentheses | rule: relation
SELECT * FROM ((dash_ipbes CROSS JOIN (dash_ipbes b CROSS JOIN sqlite_master)))
--- relation-in-values | rule: relation
VALUES ((SELECT max(name) FROM sqlite_master))
--- relation-in-a-pivot-source | rule: relation
PIVOT sqlite_master ON type IN ('table') USING count(*)
--- relation-in-a-pivot-aggregate | rule: relation
PIVOT dash_ipbes ON value IN (1) USING max((SELECT max(name) FROM sqlite_master))
--- relation-in-an-unpivot-source | rule: relation
UNPIVOT (SELECT name FROM sqlite_master) ON name
--- relation-in-a-range | rule: relation
SELECT * FROM range((SELECT count(*) FROM sqlite_master))
--- relation-in-json-each | rule: relation
SELECT * FROM json_each((SELECT to_json(list(name)) FROM sqlite_master))
--- relation-in-a-sampled-table | rule: relation
SELECT * FROM sqlite_master TABLESAMPLE 10%
--- relation-in-an-outer-union-arm | rule: relation
(SELECT 1) UNION ALL (SELECT 2 UNION ALL (SELECT rootpage FROM sqlite_master))
--- relation-in-a-set-order | rule: relation
SELECT 1 AS x UNION SELECT 2 ORDER BY (SELECT max(rootpage) FROM sqlite_master)
--- relation-in-a-dead-branch | rule: relation
SELECT 1 WHERE false AND EXISTS (FROM sqlite_master)
--- relation-in-an-unused-cte | rule: relation
WITH t AS (SELECT * FROM sqlite_master) SELECT 1
--- relation-in-try | rule: relation
SELECT try((SELECT name FROM sqlite_master))
--- relation-in-columns-replace | rule: relation
SELECT COLUMNS(*) + (SELECT count(*) FROM sqlite_master) FROM dash_ipbes
--- relation-in-a-prefix-alias | rule: relation
SELECT a: (SELECT max(name) FROM sqlite_master)
--- relation-behind-a-prefix-alias | rule: relation
FROM m: sqlite_master SELECT m.name
--- relation-in-an-if | rule: relation
SELECT if(true, (SELECT max(name) FROM sqlite_master), 'x')
--- relation-in-interval | rule: relation
SELECT INTERVAL ((SELECT count(*) FROM sqlite_master)) DAY
--- relation-in-at-time-zone | rule: relation
SELECT now() AT TIME ZONE CAST((SELECT max(name) FROM sqlite_master) AS VARCHAR)
--- relation-in-extract | rule: relation
SELECT extract(year FROM (SELECT max(name) FROM sqlite_master)::DATE)
--- relation-in-in-list | rule: relation
SELECT 1 IN (1, (SELECT max(rootpage) FROM sqlite_master))
--- relation-in-regexp | rule: relation
SELECT (SELECT max(name) FROM sqlite_master) SIMILAR TO 'a.*'
--- relation-after-a-comment | rule: relation
SELECT * FROM /* dash_ipbes */ sqlite_master -- dash_ipbes
--- relation-in-a-pivot-expression | rule: syntax
PIVOT dash_ipbes ON ipbes_pressure || (SELECT max(name) FROM sqlite_master) IN ('a') USING count(*)
--- time-travel-by-time | rule: construct
SELECT * FROM fold_risks AT (TIMESTAMP => TIMESTAMP '2025-01-01')
--- time-travel-in-a-join | rule: construct
SELECT * FROM dash_ipbes JOIN fold_risks AT (VERSION => 3) USING (value)
