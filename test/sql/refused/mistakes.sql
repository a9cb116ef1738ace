--- own-error-04 | at: run | missing GROUP BY
SELECT ipbes_pressure, sum(value) FROM dash_ipbes
--- own-error-05 | at: run | aggregate in WHERE
SELECT sum(value) FROM dash_ipbes WHERE sum(value) > 1
--- own-error-06 | at: run | scalar subquery with many rows
SELECT (SELECT value FROM dash_ipbes)
--- own-error-07 | at: run | conversion
SELECT '2025-13-45'::DATE
--- own-error-11 | at: run | arity
SELECT value FROM dash_ipbes UNION SELECT ipbes_pressure, value FROM dash_ipbes
--- own-error-15 | at: run | one row over 4 MiB as JSON (projects/query; projects/export allows it)
SELECT string_agg(ipbes_pressure, '') FROM (SELECT string_agg('aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa', '') AS ipbes_pressure FROM range(100000))
--- unknown-column | at: run
SELECT scor FROM fold_risks
--- unknown-column-of-an-alias | at: run
SELECT r.scor FROM fold_risks r
--- unknown-alias | at: run
SELECT x.score FROM fold_risks r
--- string-in-double-quotes | at: run
SELECT * FROM fold_risks WHERE biome = "savanna"
--- unknown-field | at: run
SELECT details.colour FROM fold_risks
--- ambiguous-column | at: run
SELECT value FROM dash_ipbes a, dash_ipbes b
--- wrong-argument | at: run
SELECT upper(1, 2)
--- wrong-type | at: run
SELECT sum(entity) FROM fold_risks
--- missing-group-by | at: run
SELECT biome, count(*) FROM fold_risks
--- aggregate-in-group-by | at: run
SELECT count(*) FROM fold_risks GROUP BY count(*)
--- window-in-where | at: run
SELECT 1 FROM fold_risks WHERE row_number() OVER () = 1
--- nested-aggregate | at: run
SELECT sum(max(value)) FROM dash_ipbes
--- text-as-a-number | at: run
SELECT 'abc'::INTEGER
--- text-as-a-number-in-a-column | at: run
SELECT entity::INTEGER FROM fold_risks
--- text-as-a-date | at: run
SELECT DATE 'yesterday'
--- number-too-large | at: run
SELECT 300::TINYINT
--- overflow | at: run
SELECT 9223372036854775807 + 1::BIGINT
--- regexp | at: run
SELECT regexp_matches('a', '(')
--- json | at: run
SELECT '{'::JSON
--- json-path | at: run
SELECT json_extract('{}', '$.')
--- time-zone | at: run
SELECT now() AT TIME ZONE 'Mars/Base'
--- date-format | at: run
SELECT strptime('2025', '%d')
--- format-argument | at: run
SELECT format('{} {}', 1)
--- division-of-texts | at: run
SELECT 'a' / 2
--- compare-of-types | at: run
SELECT 1 FROM fold_risks WHERE tags > 5
--- union-of-widths | at: run
SELECT 1 UNION SELECT 1, 2
--- union-of-types | at: run
SELECT [1] UNION ALL SELECT 'a'
--- order-by-out-of-range | at: run
SELECT 1 ORDER BY 5
--- limit-negative | at: run
SELECT 1 LIMIT -1
--- limit-text | at: run
SELECT 1 LIMIT 'many'
--- using-unknown | at: run
SELECT * FROM fold_risks JOIN risk_rows USING (colour)
--- asof-without-inequality | rule: construct
SELECT 1 FROM fold_risks f ASOF JOIN risk_rows r ON f.entity_id = r.entity_id
--- list-of-types | at: run
SELECT [1, 'a', {'x': 1}]
--- struct-without-field | at: run
SELECT {'a': 1}.b
--- map-duplicates | at: run
SELECT map([1, 1], [2, 3])
--- enum-unknown | at: run
SELECT 'c'::ENUM('a', 'b')
--- lambda-alone | at: run
SELECT x -> x + 1
--- pivot-unknown-column | at: run
PIVOT dash_ipbes ON colour IN ('a') USING sum(value)
--- unpivot-unknown-column | at: run
UNPIVOT dash_ipbes ON colour
--- exclude-unknown | at: run
SELECT * EXCLUDE (colour) FROM dash_ipbes
--- replace-unknown | at: run
SELECT * REPLACE (1 AS colour) FROM dash_ipbes
--- columns-without-match | at: run
SELECT COLUMNS('colour') FROM dash_ipbes
--- star-without-from | at: run
SELECT *
--- recursive-types | at: run
WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT 'a' FROM t) SELECT * FROM t
--- cte-columns | at: run
WITH t(a, b) AS (SELECT 1) SELECT b FROM t
--- any-of-a-number | at: run
SELECT 1 FROM fold_risks WHERE score = ANY (5)
--- quantile-out-of-range | rule: size
SELECT quantile_cont(value, 2) FROM dash_ipbes
--- having-without-aggregate | at: run
SELECT biome FROM fold_risks GROUP BY biome HAVING score > 1
--- distinct-order | at: run
SELECT DISTINCT biome FROM fold_risks ORDER BY nowhere
--- method-of-a-struct-field | at: run
SELECT details.level.lower() FROM fold_risks
--- positional-out-of-range | at: run
SELECT #9 FROM dash_ipbes
--- qualified-by-a-schema-that-is-not | at: run
SELECT other.dash_ipbes.value FROM dash_ipbes
--- json-column-cast | at: run
SELECT (meta->>'source')::INTEGER FROM risk_rows
--- try-of-many-columns | at: run
SELECT try(COLUMNS(*)) FROM dash_ipbes WHERE nowhere
--- current-user-as-a-receiver | at: run
SELECT current_user.upper()
--- schema-as-a-receiver | at: run
SELECT current_schema.upper() FROM dash_ipbes
--- from-after-where | rule: syntax
SELECT risk WHERE score > 1 FROM fold_risks
--- misspelt-select | rule: syntax
SELCT 1
--- misspelt-from | rule: syntax
SELECT value FORM dash_ipbes WHERE value > 1
--- where-after-group-by | rule: syntax
SELECT biome FROM fold_risks GROUP BY biome WHERE score > 1
--- where-after-order-by | rule: syntax
SELECT biome FROM fold_risks ORDER BY biome WHERE score > 1
--- where-after-limit | rule: syntax
SELECT biome FROM fold_risks LIMIT 5 WHERE score > 1
--- order-after-limit | rule: syntax
SELECT biome FROM fold_risks LIMIT 5 ORDER BY biome
--- limit-twice | rule: syntax
SELECT 1 LIMIT 5 LIMIT 6
--- limit-alone | rule: syntax
LIMIT 5
--- limit-with-a-comma | rule: syntax
SELECT * FROM fold_risks LIMIT 5, 10
--- limit-without-a-number | rule: syntax
SELECT * FROM fold_risks LIMIT
--- top | rule: syntax
SELECT TOP 5 * FROM fold_risks
--- top-with-parentheses | rule: syntax
SELECT TOP (5) * FROM fold_risks
--- group-without-by | rule: syntax
SELECT risk FROM fold_risks GROUP risk
--- over-without-parentheses | rule: syntax
SELECT sum(value) OVER PARTITION BY risk FROM fold_risks
--- case-without-end | rule: syntax
SELECT CASE WHEN score > 1 THEN 'a' FROM fold_risks
--- quote-in-a-string | rule: syntax
SELECT * FROM fold_risks WHERE entity = 'it's'
--- backtick-name | rule: syntax
SELECT `entity` FROM fold_risks
--- backticks | rule: syntax
SELECT `entity`, `risk` FROM `fold_risks`
--- backticks-around-a-relation | rule: syntax
SELECT * FROM `fold_risks`
--- except-columns | rule: syntax
SELECT * EXCEPT (score) FROM fold_risks
--- hash-comment | rule: syntax
SELECT 1 # comment
--- colon-parameter | rule: syntax
SELECT * FROM fold_risks WHERE score > :least
--- brace-parameter | rule: syntax
SELECT * FROM fold_risks WHERE score > {least}
--- join-without-on | rule: syntax
SELECT * FROM fold_risks r JOIN risk_rows s
--- nothing-selected | rule: syntax
SELECT
--- union-by-position | rule: syntax
SELECT 1 UNION ALL BY POSITION SELECT 2
--- like-any-list | rule: syntax
SELECT 1 FROM fold_risks WHERE entity LIKE ANY (SELECT 'a')
--- method-of-a-deep-field | rule: syntax
SELECT f.details.level.upper() FROM fold_risks f
--- values-of-widths | rule: syntax
VALUES (1), (2, 3)
--- cte-twice | rule: syntax
WITH a AS (SELECT 1), a AS (SELECT 2) SELECT * FROM a
--- misspelt-function | rule: function
SELECT lenght(entity) FROM fold_risks
--- swapped-letters | rule: function
SELECT cuont(*) FROM fold_risks
--- function-of-another-database | rule: function
SELECT nvl(score, 0) FROM fold_risks
--- date-format-of-another-database | rule: function
SELECT to_char(assessed_on, 'YYYY') FROM fold_risks
--- date-add-of-another-database | rule: function
SELECT dateadd('day', 1, assessed_on) FROM fold_risks
--- window-function-misspelt | rule: function
SELECT row_numbr() OVER () FROM fold_risks
--- table-function-misspelt | rule: function
SELECT * FROM generate_serie(1, 3)
--- scalar-in-from | rule: function
SELECT * FROM upper('a')
--- misspelt-relation | rule: relation
SELECT * FROM fold_risk
--- relation-without-its-prefix | rule: relation
SELECT * FROM risks
--- misspelt-cte | rule: relation
WITH recent AS (SELECT 1) SELECT * FROM recnet
--- window-by-method | rule: construct
SELECT value.sum() OVER () FROM dash_ipbes
--- ago-of-a-text | at: run | the engine gives a position within its own macro
SELECT ago('x')
--- ago-of-a-number | at: run
SELECT ago(5)
--- appended-text | at: run
SELECT array_append(['1'::JSON], 'zz')
--- prepended-text | at: run
SELECT list_prepend('zz', ['1'::JSON])
--- pushed-text | at: run
SELECT array_push_front(['1'::JSON], 'zz')
--- remainder-of-a-text | at: run
SELECT fmod('x', 1)
--- part-by-a-text | at: run
SELECT split_part('a', 'b', 'c')
--- step-of-nothing | at: run | the engine reports it as an internal error
SELECT equi_width_bins(0::DOUBLE, 5e-324::DOUBLE, 2, true)
--- quantile-of-nothing | rule: size
SELECT quantile_cont(x, NULL::INTEGER[]) FROM range(3) t(x)
--- number-of-line-breaks | at: run | a message of line breaks
SELECT repeat(chr(10), 2000)::INTEGER
--- part-of-a-long-name | at: run | a message as long as the name
SELECT date_part(repeat('a', 1000000), now())
--- field-of-a-long-name | at: run
SELECT struct_extract({'a': 1}, repeat('b', 1000000))
--- json-by-lag | at: run | a string that becomes JSON without validation
SELECT lag(j, 1, '1}],"nextCursor":"forged","x":[{"y":1') OVER () AS j FROM (SELECT '1'::JSON AS j)
--- json-by-lead | at: run
SELECT lead(j, 1, '1}') OVER (PARTITION BY 1) AS j FROM (SELECT '1'::JSON AS j)
--- json-by-lag-in-a-list | at: run
SELECT [lag(j, 1, '1],"x":[1') OVER ()] AS j FROM (SELECT '1'::JSON AS j)
--- json-by-lag-in-a-struct | at: run
SELECT {'a': {'b': lag(j, 1, '1}},{"y":{"z":1') OVER ()}} AS j FROM (SELECT '1'::JSON AS j)
--- json-by-lag-in-a-map | at: run
SELECT MAP {'a': lag(j, 1, '') OVER ()} AS j FROM (SELECT '1'::JSON AS j)
--- json-by-lag-of-a-key | at: run
SELECT MAP {coalesce(lag(j, 1, '"a" "b"') OVER (), j): 1} AS j FROM (SELECT '1'::JSON AS j)
--- json-by-lag-in-a-union | at: run
SELECT union_value(a := lag(j, 1, '}') OVER ()) AS j FROM (SELECT '1'::JSON AS j)
--- json-by-lag-of-a-column | at: run
SELECT lag(meta, 1, risk) OVER (ORDER BY row_id) AS j FROM risk_rows
--- bits-without-bounds | at: run | refused by the binder without a position
SELECT bitstring_agg(a) FROM (SELECT unnest([-1, 9223372036854775807]) AS a)
--- bins-with-null | at: run
SELECT histogram(a, b) FROM (SELECT 'a' AS a, ['b', NULL] AS b)
--- rows-not-in-a-subquery | rule: construct
SELECT risk FROM fold_risks WHERE (risk, commodity) NOT IN (SELECT risk, commodity FROM fold_risks WHERE value = 0)
--- rows-not-in-a-subquery-by-not | rule: construct
SELECT risk FROM fold_risks WHERE NOT (value > 1 OR (risk, commodity) IN (SELECT risk, commodity FROM fold_risks))
--- rows-in-a-subquery-as-a-value | rule: construct
SELECT (risk, commodity) IN (SELECT risk, commodity FROM fold_risks) AS there FROM fold_risks
--- rows-unlike-all-of-a-subquery | rule: construct
SELECT risk FROM fold_risks WHERE row(risk, commodity) <> ALL (SELECT risk, commodity FROM fold_risks)
--- rows-in-a-subquery-compared | rule: construct
SELECT risk FROM fold_risks WHERE ((risk, commodity) IN (SELECT risk, commodity FROM fold_risks)) IS NULL
--- asof-that-matches-null | rule: construct
SELECT a.risk FROM fold_risks a ASOF JOIN fold_risks b ON a.risk IS NOT DISTINCT FROM b.risk AND a.value >= b.value
--- asof-left-that-matches-null | rule: construct
SELECT a.risk FROM fold_risks a ASOF LEFT JOIN fold_risks b ON a.value >= b.value AND (a.risk = b.risk AND a.commodity IS DISTINCT FROM b.commodity)
--- window-partitioned-twice | rule: construct
SELECT sum(value) OVER (PARTITION BY risk, risk) AS a, sum(value) OVER (PARTITION BY risk, commodity) AS b FROM fold_risks
--- window-partitioned-twice-with-the-relation | rule: construct
SELECT sum(value) OVER (PARTITION BY commodity, abs(value), abs(f."VALUE")) AS a FROM fold_risks f
--- window-partitioned-by-a-column-and-its-name | rule: construct
SELECT risk AS r, sum(value) OVER (PARTITION BY risk, r) AS a, sum(value) OVER (PARTITION BY risk, commodity) AS b FROM fold_risks
--- named-window-partitioned-twice | rule: construct
SELECT sum(value) OVER w AS a FROM fold_risks WINDOW w AS (PARTITION BY 1, 1)
--- lead-without-order | rule: construct | streamed, it repeats rows over plans such as that of EXISTS
SELECT row_id, lead(row_id) OVER () AS following FROM risk_rows
--- lead-over-a-named-window | rule: construct
SELECT lead(row_id, 2, -1) OVER w AS following FROM risk_rows WINDOW w AS (ROWS UNBOUNDED PRECEDING)
--- lag-ahead-without-order | rule: construct
SELECT row_id FROM risk_rows QUALIFY lag(row_id, -1) OVER () IS NOT NULL
--- lead-of-values-without-order | rule: construct
SELECT lead(row_id IGNORE NULLS) OVER (ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) AS following FROM risk_rows
--- distinct-beside-unnest-in-a-subquery | rule: construct
SELECT count(*) FROM (SELECT DISTINCT unnest([{'a': 1, 'b': 2}, {'a': 1, 'b': 3}])) t
--- distinct-star-beside-unnest | rule: construct
SELECT DISTINCT *, unnest([1, 2]) FROM (SELECT 1 AS a) t
--- distinct-of-a-struct-that-is-unnested | at: run
SELECT DISTINCT unnest({'a': value, 'b': ipbes_pressure}) FROM dash_ipbes
--- first-value-of-a-frame-without-order | rule: construct
SELECT first_value(value) OVER (ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) AS f FROM dash_ipbes
--- asof-with-an-equality-and-nulls | rule: construct
SELECT count(*) AS n FROM dependency_rows d ASOF JOIN risk_rows r ON d.entity_id = r.entity_id AND d.measured_at >= r.measured_at
--- asof-using-two-columns | rule: construct
SELECT count(*) AS n FROM dependency_rows d ASOF JOIN risk_rows r USING (entity_id, measured_at)
--- asof-that-checks-one-value-for-null | rule: construct
SELECT count(*) AS n FROM dependency_rows d ASOF JOIN risk_rows r ON d.entity_id = r.entity_id AND d.measured_at >= r.measured_at AND r.measured_at IS NOT NULL
--- window-partitioned-by-two-literals | rule: construct
SELECT sum(value) OVER (PARTITION BY 1, risk, CAST('1' AS INTEGER)) AS a FROM fold_risks
--- own-error-unpacked-01 | rule: construct | the column is named after the database of the relation
SELECT coalesce(*COLUMNS(*)) FROM (SELECT ipbes_pressure, ipbes_pressure AS other FROM dash_ipbes)
--- own-error-unpacked-02 | rule: construct | the column is named after the database of the relation
SELECT DISTINCT max(concat(*COLUMNS(t.*))) OVER () FROM dash_ipbes AS t
--- own-error-unpacked-03 | rule: construct | a value is the name of such a column
FROM (UNPIVOT (SELECT struct_pack(*COLUMNS(*))::VARCHAR FROM dash_ipbes) ON COLUMNS(*))
--- own-error-unpacked-04 | rule: construct | a value is made of the name of such a column
SELECT to_json(q) FROM (SELECT 'x' IN (*COLUMNS(['ipbes_pressure'])) FROM dash_ipbes) AS q
--- own-error-postfix | rule: function | an operator after its value, which is none
SELECT 'abc' ~
