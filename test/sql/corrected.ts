/** Mistakes that analysts make, what their refusals must say, and statements that follow that advice. */
export const CORRECTED: readonly { mistake: string; told: RegExp; corrected: string }[] = [
  { mistake: 'SELECT * FROM fold_risk', told: /Did you mean "fold_risks"/, corrected: 'SELECT * FROM fold_risks' },
  { mistake: 'SELECT * FROM risks', told: /Did you mean "fold_risks"/, corrected: 'SELECT * FROM fold_risks' },
  {
    mistake: 'SELECT * FROM dependencies',
    told: /Did you mean "fold_dependencies"/,
    corrected: 'SELECT * FROM fold_dependencies',
  },
  {
    mistake: 'WITH recent AS (SELECT 1) FROM recnet',
    told: /Did you mean "recent"/,
    corrected: 'WITH recent AS (SELECT 1) FROM recent',
  },
  { mistake: 'FROM main.fold_risks', told: /Write "fold_risks" alone/, corrected: 'FROM fold_risks' },
  {
    mistake: 'WITH t AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM t WHERE n < 5) FROM t',
    told: /WITH RECURSIVE/,
    corrected: 'WITH RECURSIVE t AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM t WHERE n < 5) FROM t',
  },
  {
    mistake: 'WITH a AS (FROM b), b AS (SELECT 1) FROM a',
    told: /after its definition/,
    corrected: 'WITH b AS (SELECT 1), a AS (FROM b) FROM a',
  },
  {
    mistake: 'SELECT lenght(entity) FROM fold_risks',
    told: /Did you mean "length"/,
    corrected: 'SELECT length(entity) FROM fold_risks',
  },
  {
    mistake: 'SELECT cuont(*) FROM fold_risks',
    told: /Did you mean "count"/,
    corrected: 'SELECT count(*) FROM fold_risks',
  },
  { mistake: 'SELECT average(score) FROM fold_risks', told: /Use avg/, corrected: 'SELECT avg(score) FROM fold_risks' },
  {
    mistake: 'SELECT nvl(score, 0) FROM fold_risks',
    told: /coalesce\(value, other\)/,
    corrected: 'SELECT coalesce(score, 0) FROM fold_risks',
  },
  {
    mistake: "SELECT to_char(assessed_on, 'YYYY-MM') FROM fold_risks",
    told: /strftime\(value, '%Y-%m-%d'\)/,
    corrected: "SELECT strftime(assessed_on, '%Y-%m') FROM fold_risks",
  },
  {
    mistake: "SELECT dateadd('day', 1, assessed_on) FROM fold_risks",
    told: /\+ INTERVAL 1 DAY/,
    corrected: 'SELECT assessed_on + INTERVAL 1 DAY FROM fold_risks',
  },
  {
    mistake: 'SELECT iif(score > 1, 1, 0) FROM fold_risks',
    told: /CASE WHEN/,
    corrected: 'SELECT CASE WHEN score > 1 THEN 1 ELSE 0 END FROM fold_risks',
  },
  { mistake: "SELECT list_aggr([1, 2], 'sum')", told: /list_sum/, corrected: 'SELECT list_sum([1, 2])' },
  {
    mistake: "SELECT charindex('a', entity) FROM fold_risks",
    told: /strpos\(text, part\)/,
    corrected: "SELECT strpos(entity, 'a') FROM fold_risks",
  },
  {
    mistake: 'SELECT json_contains(meta, \'"survey"\') FROM risk_rows',
    told: /json_extract_string/,
    corrected: "SELECT json_extract_string(meta, '$.source') = 'survey' FROM risk_rows",
  },
  { mistake: 'SELECT * FROM rnage(3)', told: /Did you mean "range"/, corrected: 'SELECT * FROM range(3)' },
  {
    mistake: "SELECT * FROM query_table('fold_risks')",
    told: /relations of the catalogue/,
    corrected: 'SELECT * FROM fold_risks',
  },
  {
    mistake: 'SELECT system.main.upper(entity) FROM fold_risks',
    told: /Write upper\(…\)/,
    corrected: 'SELECT upper(entity) FROM fold_risks',
  },
  {
    mistake: 'SELECT value.sum() OVER () FROM dash_ipbes',
    told: /Write sum\(column\) OVER/,
    corrected: 'SELECT sum(value) OVER () FROM dash_ipbes',
  },
  {
    mistake: 'SELECT meta::jsonb FROM risk_rows',
    told: /Did you mean JSON/,
    corrected: 'SELECT meta::json FROM risk_rows',
  },
  {
    mistake: 'SELECT current_schema FROM (SELECT 1 AS current_schema) t',
    told: /t\.column/,
    corrected: 'SELECT t.current_schema FROM (SELECT 1 AS current_schema) t',
  },
  {
    mistake: 'SELECT entity LIKE biome FROM fold_risks',
    told: /contains\(\)/,
    corrected: 'SELECT contains(entity, biome) FROM fold_risks',
  },
  {
    mistake: "SELECT entity ILIKE '%a%b%c%d%' FROM fold_risks",
    told: /regexp_matches/,
    corrected: "SELECT regexp_matches(entity, 'a.*b.*c.*d', 'i') FROM fold_risks",
  },
  {
    mistake: "SELECT entity ILIKE '%a%b%c%d%' FROM fold_risks",
    told: /lower\(\) with a LIKE/,
    corrected: "SELECT lower(entity) LIKE '%a%b%c%d%' FROM fold_risks",
  },
  {
    mistake: "SELECT meta->'a'->'b'->'c'->'d'->'e'->'f'->'g'->'h'->'i' FROM risk_rows",
    told: /json_extract\(value, '\$\.a\.b'\)/,
    corrected: "SELECT json_extract(meta, '$.a.b.c.d.e.f.g.h.i') FROM risk_rows",
  },
  {
    mistake: 'SELECT * FROM fold_risks WHERE score > ?',
    told: /Write \$name/,
    corrected: 'SELECT * FROM fold_risks WHERE score > 1',
  },
  {
    mistake: 'SELECT * FROM fold_risks WHERE score > :least',
    told: /Write a parameter as \$name/,
    corrected: 'SELECT * FROM fold_risks WHERE score > 1',
  },
  {
    mistake: 'SELECT * FROM fold_risks WHERE score > {least}',
    told: /Write a parameter as \$name/,
    corrected: 'SELECT * FROM fold_risks WHERE score > 1',
  },
  {
    mistake: 'SELECT * FROM fold_risks LIMIT 5, 10',
    told: /LIMIT count OFFSET start/,
    corrected: 'SELECT * FROM fold_risks LIMIT 10 OFFSET 5',
  },
  {
    mistake: 'SELECT TOP 5 * FROM fold_risks',
    told: /LIMIT and the number at the end/,
    corrected: 'SELECT * FROM fold_risks LIMIT 5',
  },
  {
    mistake: 'SELECT TOP (5) * FROM fold_risks',
    told: /LIMIT and the number at the end/,
    corrected: 'SELECT * FROM fold_risks LIMIT 5',
  },
  {
    mistake: 'SELECT * FROM fold_risks LIMIT 5 WHERE score > 1',
    told: /come in this order/,
    corrected: 'SELECT * FROM fold_risks WHERE score > 1 LIMIT 5',
  },
  {
    mistake: 'SELECT risk WHERE score > 1 FROM fold_risks',
    told: /come in this order/,
    corrected: 'SELECT risk FROM fold_risks WHERE score > 1',
  },
  {
    mistake: 'SELECT * FROM fold_risks LIMIT 5 ORDER BY score',
    told: /come in this order/,
    corrected: 'SELECT * FROM fold_risks ORDER BY score LIMIT 5',
  },
  {
    mistake: 'SELECT risk FROM fold_risks GROUP risk',
    told: /BY after GROUP/,
    corrected: 'SELECT risk FROM fold_risks GROUP BY risk',
  },
  {
    mistake: 'SELECT sum(value) OVER PARTITION BY risk FROM fold_risks',
    told: /OVER \(PARTITION BY/,
    corrected: 'SELECT sum(value) OVER (PARTITION BY risk) FROM fold_risks',
  },
  {
    mistake: 'SELECT * EXCEPT (score) FROM fold_risks',
    told: /EXCLUDE \(column\)/,
    corrected: 'SELECT * EXCLUDE (score) FROM fold_risks',
  },
  { mistake: 'SELECT `entity` FROM fold_risks', told: /double quotes/, corrected: 'SELECT "entity" FROM fold_risks' },
  { mistake: 'SELECT * FROM `fold_risks`', told: /double quotes/, corrected: 'SELECT * FROM "fold_risks"' },
  {
    mistake: 'SELECT `f`.`entity` FROM fold_risks f',
    told: /double quotes/,
    corrected: 'SELECT "f"."entity" FROM fold_risks f',
  },
  {
    mistake: "SELECT * FROM fold_risks WHERE entity = 'it's'",
    told: /doubled/,
    corrected: "SELECT * FROM fold_risks WHERE entity = 'it''s'",
  },
  { mistake: "SELECT 'open", told: /Close what was opened/, corrected: "SELECT 'open'" },
  { mistake: 'SELECT 1 # comment', told: /two hyphens/, corrected: 'SELECT 1 -- comment' },
  {
    mistake: "SELECT CASE WHEN score > 1 THEN 'a' FROM fold_risks",
    told: /a CASE without END/,
    corrected: "SELECT CASE WHEN score > 1 THEN 'a' END FROM fold_risks",
  },
  {
    mistake: 'SELECT * FROM fold_risks r JOIN risk_rows s',
    told: /ON or USING/,
    corrected: 'SELECT * FROM fold_risks r JOIN risk_rows s USING (entity_id)',
  },
  { mistake: 'SELECT', told: /write \*/, corrected: 'SELECT * FROM dash_ipbes' },
  { mistake: 'EXPLAIN SELECT 1', told: /without EXPLAIN/, corrected: 'SELECT 1' },
  { mistake: 'SELECT 1; SELECT 2', told: /one SELECT per call/, corrected: 'SELECT 2' },
  { mistake: 'SELECT 1; DROP TABLE dash_ipbes', told: /one SELECT per call/, corrected: 'SELECT 1' },
  { mistake: '-- why\nINSERT INTO dash_ipbes VALUES (1)', told: /not INSERT/, corrected: 'SELECT 1' },
  {
    mistake: 'WITH x AS (SELECT 1) DELETE FROM x',
    told: /End the statement with a SELECT/,
    corrected: 'WITH x AS (SELECT 1) SELECT * FROM x',
  },
  {
    mistake: 'PIVOT dash_ipbes ON ipbes_pressure USING sum(value)',
    told: /PIVOT … ON column IN \('a', 'b'\)/,
    corrected: "PIVOT dash_ipbes ON ipbes_pressure IN ('pollution') USING sum(value)",
  },
  {
    mistake: 'SELECT * FROM (PIVOT dash_ipbes ON ipbes_pressure USING sum(value))',
    told: /FILTER \(WHERE column = 'a'\)/,
    corrected: "SELECT sum(value) FILTER (WHERE ipbes_pressure = 'pollution') FROM dash_ipbes",
  },
  {
    mistake: 'DESCRIBE fold_risks',
    told: /projects\/describe lists the relations and the columns of one/,
    corrected: 'FROM fold_risks',
  },
  {
    mistake: 'SELECT * FROM information_schema.tables',
    told: /projects\/describe lists the relations/,
    corrected: 'FROM fold_risks',
  },
]
