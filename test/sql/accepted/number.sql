--- casts
SELECT '1'::INTEGER AS a, CAST(1.5 AS VARCHAR) AS b, 1::DECIMAL(10, 2) AS c, 3.7::INTEGER AS d, true::INTEGER AS e, '2025-01-01'::DATE AS f, TRY_CAST('x' AS DOUBLE) AS g, 'ab'::BLOB AS h, '101'::BIT AS i, 1::BOOLEAN AS j
-- = {"a":1,"b":"1.5","c":1,"d":4,"e":1,"f":"2025-01-01","g":null,"h":"YWI=","i":"101","j":true}
--- every-whole-number-type
SELECT 1::TINYINT AS a, 1::SMALLINT AS b, 1::INT AS c, 1::BIGINT AS d, 1::HUGEINT AS e, 1::UTINYINT AS f, 1::USMALLINT AS g, 1::UINTEGER AS h, 1::UBIGINT AS i, 1::UHUGEINT AS j, 1::INT8 AS k, 1::LONG AS l, 1::SIGNED AS m, 1::INTEGRAL AS n, 1::OID AS o
--- aliases-of-types
SELECT 'a'::TEXT AS a, 'a'::STRING AS b, 'a'::CHAR(3) AS c, 'a'::VARCHAR(10) AS d, 1::NUMERIC(5, 1) AS e, 1::REAL AS f, 1::FLOAT8 AS g, '2025-01-01'::DATETIME AS h, 'x'::BYTEA IS NOT NULL AS i, '1'::BITSTRING AS j, '00000000-0000-0000-0000-000000000000'::UUID AS k, 1::DEC(4, 2) AS l, 1::LOGICAL AS m, '01:00'::TIME AS n
--- times-with-zones
SELECT '2025-01-01 00:00:00+00'::TIMESTAMP WITH TIME ZONE AS a, '10:00:00+01'::TIME WITH TIME ZONE AS b, '2025-01-01'::TIMESTAMP_S AS c, '2025-01-01'::TIMESTAMP_MS AS d, '2025-01-01'::TIMESTAMP_NS AS e
-- = {"a":"2025-01-01T00:00:00Z","b":"10:00:00+01:00","c":"2025-01-01T00:00:00","d":"2025-01-01T00:00:00","e":"2025-01-01T00:00:00"}
--- literals
SELECT 1_000_000 AS c, 1e3 AS d, .5 AS e, 123456789012345678901234567890 AS f, -9223372036854775808 AS g, '\x41'::BLOB AS h
-- = {"c":1000000,"d":1000,"e":0.5,"f":"123456789012345678901234567890","g":"-9223372036854775808","h":"QQ=="}
--- mathematics
SELECT sqrt(16) AS a, power(2, 3) AS b, exp(0) AS c, ln(1) AS d, log10(100) AS e, log(100) AS f, log2(8) AS g, cbrt(0) AS h, mod(7, 3) AS i, gcd(12, 18) AS j, lcm(4, 6) AS k, factorial(5) AS l, pi() > 3.14 AS m, degrees(pi()) AS n, sin(0) AS o, atan2(0, 1) AS p
-- = {"a":4,"b":8,"c":1,"d":0,"e":2,"f":2,"g":3,"h":0,"i":1,"j":6,"k":12,"l":120,"m":true,"n":180,"o":0,"p":0}
--- division
SELECT 1 / 2 AS a, 7 // 2 AS b, 1 / 0 AS c, -7 % 3 AS d, fdiv(7, 2) AS e, 1.0 / 3 > 0.33 AS f
-- = {"a":0.5,"b":3,"c":"Infinity","d":-1,"e":3,"f":true}
--- not-a-number
SELECT 'NaN'::DOUBLE AS a, 'inf'::DOUBLE AS b, '-inf'::FLOAT AS c, isnan('nan'::FLOAT) AS d, isinf('inf'::DOUBLE) AS e
-- = {"a":"NaN","b":"Infinity","c":"-Infinity","d":true,"e":true}
--- exact-decimals
SELECT 0.1 + 0.2 AS a, 1.10::DECIMAL(5, 2) AS b, 12345678901234567890.12::DECIMAL(38, 2) AS c, 2.5 * 2 AS d
-- = {"a":0.3,"b":1.1,"c":"12345678901234567890.12","d":5}
--- typeof
SELECT typeof(1) AS a, typeof([1.5]) AS b, typeof({'a': 'x'}) AS c, typeof(value) AS d FROM dash_ipbes LIMIT 1
--- uuid
SELECT '12345678-1234-4234-8234-123456789012'::UUID AS a, entity_id = '00000000-0000-4000-8000-000000000000' AS b, count(*) AS n FROM fold_risks GROUP BY ALL HAVING b
-- = {"a":"12345678-1234-4234-8234-123456789012","b":true,"n":6}
--- interpolation
SELECT x0 + (x1 - x0) * 0.25 AS q FROM (VALUES (0.0, 8.0)) t(x0, x1)
-- = {"q":2}
--- macros-within-macros
SELECT fmod(fmod(fmod(17.5, 10), 5), 2) AS a, round_even(round_even(2.55, 1), 0) AS b, nullif(nullif(nullif(1, 2), 3), 4) AS c, split_part(split_part('a-b_c', '-', 2), '_', 1) AS d
-- = {"a":0.5,"b":3,"c":1,"d":"b"}
