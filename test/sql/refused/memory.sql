--- keys-of-a-null-struct | rule: function | all rows after the first are memory that was not written
SELECT len(struct_keys(s)) FROM (SELECT NULL::STRUCT(a INTEGER) AS s, k FROM range(2048) r(k)) WHERE k > 2
--- keys-of-a-computed-null-struct | rule: function
SELECT struct_keys(CASE WHEN score > 1e9 THEN {'a': 1} END) FROM fold_risks
--- fill-of-times | rule: function | it extrapolates past midnight, and digits of that hour are read beyond their table
SELECT CAST(fill(t) OVER (ORDER BY i) AS VARCHAR) FROM (VALUES (1, TIME '23:00:00'), (2, TIME '23:59:00'), (200, NULL)) v(i, t)
--- zone-as-an-interval | rule: construct | times of day past their range, whose digits are read beyond their table
SELECT CAST(TIMETZ '23:59:59+00' AT TIME ZONE INTERVAL '17 hours' AS VARCHAR)
--- zone-as-an-interval-by-a-column | rule: construct
SELECT CAST(timezone(i, t) AS VARCHAR) FROM (SELECT INTERVAL '17 hours' AS i, TIMETZ '23:59:59+00' AS t)
--- zone-of-a-receiver | rule: construct
SELECT CAST(i.timezone(t) AS VARCHAR) FROM (SELECT INTERVAL '17 hours' AS i, TIMETZ '23:59:59+00' AS t)
--- zone-cast-to-an-interval | rule: construct
SELECT CAST(timezone(CAST('17 hours' AS INTERVAL), TIMETZ '23:59:59+00') AS VARCHAR)
--- approximate-quantile-of-times | rule: construct | digests of the bits of times with zones make other times
SELECT CAST(approx_quantile(t, 0.37) AS VARCHAR) FROM (VALUES (TIMETZ '00:00:00+15:59:59'), (TIMETZ '23:59:59-15:59:59'), (TIMETZ '12:00:00-15:59:59'), (TIMETZ '24:00:00+00')) v(t)
--- approximate-quantile-over-a-frame | rule: construct
SELECT CAST(approx_quantile(t, 0.37) OVER (ORDER BY t) AS VARCHAR) FROM (VALUES (TIMETZ '00:00:00+15:59:59'), (TIMETZ '23:59:59-15:59:59')) v(t)
--- approximate-quantile-at-no-number | rule: size | the engine compares the fraction, which NaN passes, and reads outside its digest
SELECT approx_quantile(CAST(1.7e308 AS DOUBLE), 'nan'::FLOAT) AS x FROM range(600) t(i) GROUP BY i % 200
--- approximate-quantile-at-no-number-in-a-list | rule: size
SELECT approx_quantile(CAST(i AS DOUBLE), [0.5, 'nan'::FLOAT]) AS x FROM range(600) t(i) GROUP BY i % 200
--- approximate-quantile-at-a-cast | rule: size
SELECT approx_quantile(CAST(i AS DOUBLE), CAST(CAST('nan' AS DOUBLE) AS FLOAT)) AS x FROM range(600) t(i)
--- approximate-quantile-at-a-list-that-is-cast | rule: size
SELECT approx_quantile(CAST(i AS DOUBLE), CAST([0.5] AS FLOAT[])) AS x FROM range(600) t(i)
--- approximate-quantile-at-a-parameter | rule: size | a value may be NaN
SELECT approx_quantile(CAST(value AS DOUBLE), $q) AS x FROM dash_ipbes
--- approximate-quantile-at-what-is-computed | rule: size
SELECT approx_quantile(CAST(value AS DOUBLE), 0 / 0.0) AS x FROM dash_ipbes
--- approximate-quantile-below-nothing | rule: size
SELECT approx_quantile(CAST(value AS DOUBLE), -0e0) AS x FROM dash_ipbes
--- approximate-quantile-over-a-window-at-no-number | rule: size
SELECT approx_quantile(CAST(value AS DOUBLE), 'nan'::FLOAT) OVER () AS x FROM dash_ipbes
--- quantile-at-no-number | rule: size
SELECT quantile_cont(value, 'nan'::DOUBLE) FROM dash_ipbes
--- percentile-at-no-number | rule: size
SELECT percentile_cont('nan'::DOUBLE) WITHIN GROUP (ORDER BY value) FROM dash_ipbes
--- quantile-of-a-receiver-at-no-number | rule: size
SELECT value.quantile_disc(['inf'::DOUBLE]) FROM dash_ipbes
--- quantile-at-a-parameter | rule: size
SELECT quantile_cont(value, $q) FROM dash_ipbes
--- quantile-at-a-list-of-parameters | rule: size
SELECT quantile_cont(value, [0.5, $q]) FROM dash_ipbes
--- quantile-below-0 | rule: size
SELECT quantile_disc(value, -0.25) FROM dash_ipbes
--- most-frequent-values-by-a-computed-count | rule: size
SELECT approx_top_k(risk, 1 + 1) FROM fold_risks
--- most-frequent-values-none | rule: size
SELECT approx_top_k(risk, 0) FROM fold_risks
--- approximate-quantile-of-a-receiver | rule: construct
SELECT t.approx_quantile(0.37) FROM (VALUES (TIMETZ '00:00:00+15:59:59')) v(t)
--- approximate-quantile-cast-to-a-time | rule: construct
SELECT CAST(approx_quantile(CAST(t AS TIMETZ), 0.37) AS VARCHAR) FROM (VALUES ('00:00:00+15:59:59')) v(t)
--- decode-ignore | rule: pattern | what is left of a cut character is no UTF-8
SELECT hex(encode(decode('A\xF0'::BLOB, 'ignore')))
--- decode-ignore-in-capitals | rule: pattern
SELECT upper(decode('A\xF0'::BLOB, 'IGNORE'))
--- decode-in-a-computed-way | rule: pattern
SELECT decode('A\xF0'::BLOB, 'ig' || 'nore')
--- decode-by-a-column | rule: pattern
SELECT decode('A\xF0'::BLOB, commodity) FROM fold_risks
--- split-between-bytes | rule: pattern | \B stands between the bytes of a character
SELECT string_split_regex('a😀', '\B')[1]
--- replace-between-bytes | rule: pattern
SELECT regexp_replace('aé', '\B', '-')
--- extract-between-bytes | rule: pattern
SELECT regexp_extract_all('aé', 'x|\B')
--- similar-between-bytes | rule: pattern
SELECT 'aé' SIMILAR TO 'a\Bé'
--- columns-between-bytes | rule: pattern
SELECT COLUMNS('a\Bb') FROM fold_risks
--- regex-quoted | rule: pattern
SELECT regexp_matches('a', '\Qa\E')
--- regex-look-ahead | rule: pattern
SELECT regexp_matches('a', 'a(?=b)')
--- regex-byte-in-a-class | rule: pattern
SELECT regexp_matches('a', '[\C]')
--- frame-by-a-column | rule: construct
SELECT count(*) OVER (ORDER BY scope ROWS BETWEEN CURRENT ROW AND scope FOLLOWING) FROM fold_pressures
--- frame-by-null | rule: construct
SELECT sum(net) OVER (ORDER BY scope ROWS BETWEEN NULL PRECEDING AND CURRENT ROW) FROM fold_pressures
--- frame-negative | rule: construct
SELECT sum(net) OVER (ORDER BY scope ROWS BETWEEN -1 PRECEDING AND CURRENT ROW) FROM fold_pressures
--- frame-computed | rule: construct
SELECT sum(net) OVER (ORDER BY scope ROWS BETWEEN 1 + 1 PRECEDING AND CURRENT ROW) FROM fold_pressures
--- frame-by-a-subquery | rule: construct
SELECT sum(net) OVER (ORDER BY scope ROWS BETWEEN (SELECT 1) PRECEDING AND CURRENT ROW) FROM fold_pressures
--- frame-of-no-whole-rows | rule: construct
SELECT sum(net) OVER (ORDER BY scope ROWS BETWEEN 1.5 PRECEDING AND CURRENT ROW) FROM fold_pressures
--- frame-huge | rule: construct
SELECT sum(net) OVER (ORDER BY scope ROWS BETWEEN 9223372036854775807 PRECEDING AND CURRENT ROW) FROM fold_pressures
--- frame-ends-before-it-begins | rule: construct
SELECT mad(net) OVER (ORDER BY scope ROWS BETWEEN 1 PRECEDING AND 2 PRECEDING) FROM fold_pressures
--- frame-of-groups-ends-before-it-begins | rule: construct
SELECT count(*) OVER (ORDER BY scope GROUPS BETWEEN 3 FOLLOWING AND 2 FOLLOWING) FROM fold_pressures
--- frame-of-intervals-ends-before-it-begins | rule: construct
SELECT count(*) OVER (ORDER BY assessed_on RANGE BETWEEN INTERVAL 1 DAY PRECEDING AND INTERVAL 1 WEEK PRECEDING) FROM fold_risks
--- frame-of-a-year-and-days | rule: construct | it ends before it begins: a year has 365 days or more
SELECT count(*) OVER (ORDER BY assessed_on RANGE BETWEEN INTERVAL 1 YEAR FOLLOWING AND INTERVAL 361 DAY FOLLOWING) FROM fold_risks
--- frame-of-days-and-a-month | rule: construct
SELECT mad(assessed_on) OVER (ORDER BY assessed_on RANGE BETWEEN INTERVAL 1 MONTH PRECEDING AND INTERVAL '30 days' PRECEDING) FROM fold_risks
--- frame-of-a-number-and-a-month | rule: construct | of a date, a number counts days
SELECT count(*) OVER (ORDER BY assessed_on RANGE BETWEEN 31 FOLLOWING AND INTERVAL 1 MONTH FOLLOWING) FROM fold_risks
--- frame-of-a-year-and-months-out-of-order | rule: construct
SELECT count(*) OVER (ORDER BY assessed_on RANGE BETWEEN INTERVAL 1 YEAR FOLLOWING AND INTERVAL 11 MONTHS FOLLOWING) FROM fold_risks
--- frame-of-a-negative-interval | rule: construct
SELECT count(*) OVER (ORDER BY assessed_on RANGE BETWEEN INTERVAL '-7 days' PRECEDING AND CURRENT ROW) FROM fold_risks
--- frame-of-a-computed-interval | rule: construct
SELECT count(*) OVER (ORDER BY assessed_on RANGE BETWEEN to_days(scope) PRECEDING AND CURRENT ROW) FROM fold_risks, fold_pressures
--- frame-of-a-named-window | rule: construct
SELECT sum(net) OVER w FROM fold_pressures WINDOW w AS (ORDER BY scope ROWS BETWEEN scope PRECEDING AND CURRENT ROW)
--- offset-least | rule: size | the engine computes an address from it
SELECT lag(net, -9223372036854775808) OVER (ORDER BY scope) FROM fold_pressures
--- offset-most | rule: size
SELECT lead(net, 9223372036854775807) OVER (ORDER BY scope) FROM fold_pressures
--- offset-null | rule: size
SELECT lead(net, NULL) OVER (ORDER BY scope) FROM fold_pressures
--- offset-by-a-column | rule: size
SELECT lag(net, scope) OVER (ORDER BY scope) FROM fold_pressures
--- groups-none | rule: size
SELECT ntile(0) OVER (ORDER BY scope) FROM fold_pressures
--- groups-by-a-column | rule: size
SELECT ntile(scope) OVER (ORDER BY scope) FROM fold_pressures
--- nth-value-negative | rule: size
SELECT nth_value(net, -1) OVER (ORDER BY scope) FROM fold_pressures
--- ordered-argument-of-ntile | rule: construct | over an empty frame it divides by zero
SELECT ntile(2 ORDER BY net) OVER (ORDER BY scope ROWS BETWEEN 2 FOLLOWING AND 3 FOLLOWING) FROM fold_pressures
--- ordered-argument-of-percent-rank | rule: construct
SELECT percent_rank(ORDER BY net) OVER (ORDER BY scope ROWS BETWEEN 2 FOLLOWING AND 3 FOLLOWING) FROM fold_pressures
--- ordered-argument-of-lead | rule: construct
SELECT lead(net, 1 ORDER BY net DESC) OVER (ORDER BY scope) FROM fold_pressures
--- pivot-by-the-user | rule: construct
FROM (SELECT unit, net FROM fold_pressures) PIVOT (sum(net) FOR unit IN ('ha', 'kg') GROUP BY current_user)
--- pivot-by-the-session | rule: construct
FROM (SELECT unit, net FROM fold_pressures) PIVOT (sum(net) FOR unit IN ('ha', 'kg') GROUP BY SESSION_USER)
--- pivot-by-user | rule: construct
FROM (SELECT unit, net FROM fold_pressures) PIVOT (sum(net) FOR unit IN ('ha', 'kg') GROUP BY "user")
--- pivot-by-the-role | rule: construct
FROM (SELECT unit, net FROM fold_pressures) PIVOT (sum(net) FOR unit IN ('ha', 'kg') GROUP BY current_role)
--- cube-of-15 | rule: complexity | 32,768 sets in 84 bytes
SELECT count(*) FROM range(9) t(a) GROUP BY CUBE (a,a,a,a,a,a,a,a,a,a,a,a,a,a,a)
--- cubes-together | rule: complexity
SELECT count(*) FROM range(9) t(a) GROUP BY CUBE (a, a, a, a, a), CUBE (a, a, a, a, a)
--- cubes-of-many-queries | rule: complexity
SELECT 1 WHERE 1 IN (⟦40|SELECT count(*) FROM range(9) t(a) GROUP BY CUBE (a, a, a, a) UNION ALL ⟧SELECT 1)
--- cube-behind-a-comment | rule: complexity
SELECT count(*) FROM range(9) t(a) GROUP BY cUbE/* ( */(a,a,a,a,a,a,a,a,a,a)
--- pivot-of-many-columns | rule: complexity
FROM fold_pressures PIVOT (sum(net) FOR unit IN (⟦1..40|'a{i}', ⟧'b') biome IN (⟦1..40|'a{i}', ⟧'b'))
--- stars | rule: complexity
SELECT ⟦101|*, ⟧1 FROM fold_pressures
--- list-where-of-an-empty-list | rule: function | it ends the process
SELECT list_where([]::VARCHAR[], mask) FROM (VALUES (NULL), ([true, false])) t(mask)
--- array-where | rule: function
SELECT array_where([1, 2], [true, false])
--- list-select-beyond-the-list | rule: function
SELECT list_select([]::INTEGER[], [1, 2, -1])
--- array-select | rule: function
SELECT array_select([1, 2], [2])
--- mode-of-null-in-an-order | rule: construct | it reads the members of a NULL list
SELECT mode(NULL::BIGINT[] ORDER BY net) FROM fold_pressures
--- mode-of-a-value-that-is-never-there | rule: construct
SELECT mode(DISTINCT CASE WHEN false THEN [net] END ORDER BY scope) FROM fold_pressures
--- groups-of-a-pattern-null | rule: pattern | the engine dereferences a NULL list
SELECT regexp_extract(unit, '(k)(g)', NULL::VARCHAR[]) FROM fold_pressures
--- groups-of-a-pattern-computed | rule: pattern
SELECT regexp_extract(unit, '(k)(g)', CASE WHEN false THEN ['a', 'b'] END) FROM fold_pressures
