--- dynamic-sql-01 | SQL text in a literal
SELECT * FROM query('SELECT * FROM sqlite_master')
--- dynamic-sql-08 | parser as a service
SELECT json_serialize_sql('SELECT 1')
--- dynamic-sql-09 | binds and plans a string: names objects and columns
SELECT json_serialize_plan('SELECT * FROM sqlite_master')
--- dynamic-sql-11 | table macro over query_table()
SELECT * FROM histogram('sqlite_master', name)
--- dynamic-sql-14 | aggregate picked by a string
SELECT list_aggr(['a'], 'string_agg', ',') FROM dash_ipbes
--- dynamic-sql-15 | the same through method syntax
SELECT [1, 2].aggregate('sum')
--- dynamic-sql-17 | parser function
SELECT * FROM check_peg_parser('SELECT 1')
--- dynamic-sql-20 | at: run | named parameter
SELECT * FROM fold_risks WHERE value > $v
--- query-of-a-constant | rule: function
FROM query('SELECT 1')
--- query-of-a-concatenation | rule: function
SELECT * FROM query('SELECT * FROM ' || 'sqlite_master')
--- query-in-upper-case | rule: function
SELECT * FROM QUERY('SELECT 1')
--- query-in-quotes | rule: function
SELECT * FROM "Query"('SELECT 1')
--- query-with-a-schema | rule: function
SELECT * FROM main.query('SELECT 1')
--- query-with-a-database | rule: function
SELECT * FROM system.main.query('SELECT 1')
--- query-in-a-subquery | rule: function
SELECT (SELECT a FROM query('SELECT 1 AS a'))
--- query-in-a-cte | rule: function
WITH t AS (FROM query('SELECT 1')) FROM t
--- query-in-a-lateral | rule: function
SELECT * FROM dash_ipbes, LATERAL query('SELECT 1')
--- query-in-exists | rule: function
SELECT 1 WHERE EXISTS (FROM query('SELECT 1'))
--- query-in-a-union | rule: function
SELECT 1 UNION ALL FROM query('SELECT 1')
--- query-as-a-scalar | rule: function
SELECT query('SELECT 1')
--- query-table | rule: function
SELECT * FROM query_table('sqlite_master')
--- query-table-of-a-list | rule: function
SELECT * FROM query_table(['dash_ipbes', 'sqlite_master'])
--- query-table-by-name | rule: function
SELECT * FROM query_table(['dash_ipbes'], true)
--- query-table-of-a-name | rule: function
SELECT * FROM query_table(sqlite_master)
--- query-table-of-a-relation | rule: function
SELECT * FROM query_table('dash_ipbes')
--- histogram-of-a-relation | rule: function
SELECT * FROM histogram(fold_risks, score)
--- histogram-values | rule: function
SELECT * FROM histogram_values('sqlite_master', name)
--- histogram-values-of-a-name | rule: function
FROM histogram_values(sqlite_master, rootpage, bin_count := 2)
--- serialized-in-from | rule: function
SELECT * FROM json_execute_serialized_sql('{}')
--- serialized-of-a-serialized | rule: function
SELECT * FROM json_execute_serialized_sql(json_serialize_sql('SELECT 1'))
--- deserialized | rule: function
SELECT json_deserialize_sql('{}')
--- serialized-with-options | rule: function
SELECT json_serialize_sql('SELECT 1', format := true)
--- planned-with-options | rule: function
SELECT json_serialize_plan('SELECT 1', optimize := true)
--- auto-complete | rule: function
SELECT * FROM sql_auto_complete('SELECT * FROM ')
--- peg-parser | rule: function
FROM check_peg_parser('SELECT * FROM sqlite_master')
--- list-aggregate | rule: function
SELECT list_aggregate([1, 2], 'sum')
--- list-aggr-of-a-column | rule: function
SELECT list_aggr(tags, risk) FROM fold_risks
--- array-aggregate | rule: function
SELECT array_aggregate([1], 'histogram')
--- array-aggr | rule: function
SELECT array_aggr([1], 'max')
--- aggregate-by-method | rule: function
SELECT tags.aggregate('max') FROM fold_risks
--- aggregate-of-a-table-column | rule: function
SELECT f.tags.list_aggr('max') FROM fold_risks f
--- aggregate-in-a-lambda | rule: function
SELECT list_transform([[1]], lambda l: list_aggr(l, 'sum'))
--- aggregate-in-quotes | rule: function
SELECT "LIST_AGGR"([1], 'sum')
--- macro-by-hand | rule: function
SELECT f(1)
--- eval | rule: function
SELECT eval('1 + 1')
--- execute-as-a-function | rule: function
SELECT execute('SELECT 1')
--- sql-as-a-function | rule: function
SELECT sql('SELECT 1')
--- switch | rule: function
SELECT switch(1, MAP {1: 'a'})
