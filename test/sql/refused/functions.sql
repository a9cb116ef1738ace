--- crash-02 | SIGSEGV
SELECT json_transform('[]', repeat('[', 60000) || repeat(']', 60000))
--- crash-05 | SIGSEGV
SELECT json_contains(repeat('[', 100000) || repeat(']', 100000), repeat('[', 100000) || repeat(']', 100000))
--- crash-09 | deep VARIANT
WITH RECURSIVE t(d, v) AS (SELECT 0, [1]::VARIANT UNION ALL SELECT d + 1, [v]::VARIANT FROM t WHERE d < 6000) SELECT v FROM t WHERE d = 6000
--- crash-11 | INTERNAL error, instance lost
SELECT reservoir_quantile(value, 0.5, 2147483647) OVER () FROM dash_ipbes
--- crash-12 | INTERNAL error at bind, whose message contains a stack trace with server paths
SELECT switch('a', MAP {'a': 1}, '9'::BIGNUM)
--- crash-16 | aggregate states
SELECT finalize(sum(value) EXPORT_STATE) FROM dash_ipbes
--- crash-18 | internal
SELECT __internal_compress_integral_utinyint(5, 1)
--- crash-21 | the AST then contains a bare Infinity, which is not JSON: fail closed
SELECT 1e400 AS x
--- json-transform-strict | rule: function
SELECT json_transform_strict('{}', '{"a":"INT"}')
--- from-json | rule: function
SELECT from_json('{"a":1}', '{"a":"INT"}')
--- from-json-strict | rule: function
SELECT from_json_strict('{"a":1}', '["INT"]')
--- json-structure | rule: function
SELECT json_structure('{"a":1}')
--- json-structure-of-a-column | rule: function
SELECT meta.json_structure() FROM risk_rows
--- json-group-structure | rule: function
SELECT json_group_structure(meta) FROM risk_rows
--- json-merge-patch | rule: function
SELECT json_merge_patch('{}', '{}')
--- json-contains-of-a-column | rule: function
SELECT json_contains(meta, '"survey"') FROM risk_rows
--- json-contains-of-a-table-column | rule: function
SELECT r.meta.json_contains('1') FROM risk_rows r
--- boundary-of-an-enum | rule: function | for two NULLs, the engine fails by an assertion
SELECT enum_range_boundary(CASE WHEN false THEN 'a'::ENUM('a', 'b') END, NULL)
--- reservoir-quantile | rule: function
SELECT reservoir_quantile(value, 0.5) FROM dash_ipbes
--- reservoir-quantile-of-nothing | rule: function
SELECT reservoir_quantile(value, []) FROM dash_ipbes
--- finalize | rule: function
SELECT finalize(1)
