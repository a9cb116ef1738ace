/** What can be wrong about a name: `T` is a relation, `U` another one, `C` a column of T, `S` a column of text. */
const NAMES = [
  ...[
    'x.T.C',
    'main.T.C',
    'T.main.C',
    'x.main.T.C',
    'main.x.T.C',
    'x.y.z.C',
    'x.y.T.C',
    'a.b.x.T.C',
    'main.main.main.C',
  ],
  ...[
    'memory.main.T.C',
    'temp.main.T.C',
    'system.main.T.C',
    'T.C.nothing',
    'T.C.main.nothing',
    'T.nothing',
    'nothing',
    'U.C',
  ],
  ...[
    '"nothing"',
    '"T"."nothing"',
    '"x y"."T".C',
    'x."main"."T"."C"',
    'q.nothing',
    'q.c0',
    'c0',
    'q.C',
    'main.q.c0',
    '"0"',
    'T."0"',
  ],
  ...['x.T', 'x.main.T', 'main.T', 'rowid.x', 'x.rowid', 'x.T.rowid', 'x.main.T.rowid', 'NEW.T.C', 'excluded.C'],
]

/** Where a name can stand. `N` is the name. */
const PLACES = [
  ...[
    'SELECT N FROM T',
    'SELECT t.N FROM T AS t',
    'SELECT N FROM T AS other',
    'SELECT 1 FROM T WHERE N = 1',
    'SELECT N',
  ],
  ...['SELECT 1 FROM T ORDER BY N', 'SELECT count(*) FROM T GROUP BY N', 'SELECT 1 FROM T HAVING max(N) > 1'],
  ...['SELECT sum(N) OVER (PARTITION BY N ORDER BY N) FROM T', 'SELECT (SELECT N FROM U LIMIT 1) FROM T'],
  ...[
    'SELECT 1 FROM T JOIN U ON N = U.C',
    'WITH q AS (SELECT * FROM T) SELECT N FROM q',
    'SELECT N FROM (SELECT * FROM T) AS q',
  ],
  ...['SELECT [N] FROM T', "SELECT {'a': N} FROM T", 'SELECT list_transform([1], lambda v: v + N) FROM T'],
  ...['SELECT 1 FROM T UNION ALL SELECT N FROM T', 'SELECT N.* FROM T', 'SELECT * REPLACE (N AS C) FROM T'],
  ...['SELECT 1 FROM T WHERE EXISTS (SELECT 1 FROM U WHERE N = 1)', 'SELECT 1 FROM T, LATERAL (SELECT N) l'],
  ...['SELECT $p::INTEGER, N FROM T', 'SELECT * FROM unnest([N])', 'FROM T SELECT DISTINCT ON (N) 1'],
]

/** Other statements that the engine refuses, or that fail while they run. */
const OTHERS = [
  ...[
    'SELECT C FROM T AS a, T AS b',
    'SELECT * FROM T JOIN U USING (nothing)',
    'SELECT * FROM T NATURAL JOIN (SELECT 1 AS one)',
  ],
  ...[
    'SELECT * FROM T, T',
    'SELECT T.C FROM T, T',
    'SELECT * EXCLUDE (nothing) FROM T',
    'SELECT * RENAME (nothing AS n) FROM T',
  ],
  ...[
    "SELECT COLUMNS('nothing') FROM T",
    'SELECT nothing.* FROM T',
    'SELECT x.T.* FROM T',
    'SELECT x.main.T.* FROM T',
    'SELECT main.T.* FROM T',
  ],
  ...[
    'PIVOT T ON nothing IN (1) USING count(*)',
    'UNPIVOT T ON nothing INTO NAME n VALUE v',
    'SELECT sum(S) FROM T',
    'SELECT S + 1 FROM T',
  ],
  ...[
    'SELECT CAST(S AS INTEGER) FROM T',
    'SELECT S::DATE FROM T',
    "SELECT S = DATE '2025-01-01' FROM T",
    'SELECT T + 1 FROM T',
    'SELECT len(T) FROM T',
  ],
  ...[
    'SELECT T.S::STRUCT(a INTEGER) FROM T',
    'SELECT C FROM T GROUP BY S',
    'SELECT C, count(*) FROM T',
    'SELECT sum(sum(C)) FROM T',
  ],
  ...[
    'SELECT (SELECT C FROM T) FROM T',
    'SELECT (SELECT S, S FROM T)',
    'SELECT S IN (SELECT 1, 2) FROM T',
    'SELECT * FROM T UNION SELECT 1',
  ],
  ...[
    'SELECT * FROM (SELECT 1) AS q(a, b)',
    'WITH q(a, b) AS (SELECT 1) FROM q',
    'SELECT * FROM (VALUES (1), (1, 2)) AS q',
    'SELECT upper(1, 2, 3) FROM T',
  ],
  ...[
    'SELECT abs(S) FROM T',
    "SELECT date_part('nothing', now()) FROM T",
    "SELECT strptime(S, '%Q') FROM T",
    'SELECT [1, S] FROM T',
    'SELECT C.nothing FROM T',
  ],
  ...[
    "SELECT {'a': 1}.b",
    'SELECT row(1, 2).a',
    'SELECT S[1].x FROM T',
    'SELECT * FROM range(S)',
    'SELECT * FROM T LIMIT S',
    'SELECT 1 FROM T ORDER BY 9',
    'SELECT C FROM T GROUP BY 9',
  ],
  ...[
    'SELECT 9223372036854775807 + C::BIGINT FROM T WHERE C IS NOT NULL',
    'SELECT C::TINYINT * 1000::SMALLINT FROM T',
    'SELECT $p + $q',
    'SELECT $p::DATE',
    'SELECT $p FROM T WHERE nothing = $p',
  ],
  ...[
    'SELECT count(*) FILTER (nothing) FROM T',
    'SELECT first(C ORDER BY nothing) FROM T',
    'SELECT nothing(C) OVER () FROM T',
    'SELECT row_number(C) OVER () FROM T',
    'SELECT sum(C) OVER w FROM T',
  ],
  ...[
    'WITH RECURSIVE r AS (SELECT 1 AS a UNION ALL SELECT a, 2 FROM r) FROM r',
    'WITH RECURSIVE r(a) AS (SELECT 1 UNION ALL SELECT S FROM r, T) FROM r',
    'SELECT * FROM T AS a(b, b) WHERE b = 1',
  ],
  ...[
    'SELECT * FROM T ASOF JOIN U ON T.S = U.S',
    'SELECT * FROM T POSITIONAL JOIN nothing',
    'SELECT * FROM T SEMI JOIN U ON nothing = 1',
    'SELECT * FROM T TABLESAMPLE 200%',
    'SELECT error(S) FROM T',
  ],
] // prettier-ignore

/** A relation with a column of numbers and one of text. */
interface Relation {
  name: string
  number: string
  text: string
}

/** Statements with a mistake: every wrong name in every place, and others. */
export function brokenStatements(relation: Relation, other: string): string[] {
  const inTerms = (text: string) =>
    text.replace(/\b[TUCS]\b/g, letter =>
      letter === 'T' ? relation.name : letter === 'U' ? other : letter === 'C' ? relation.number : relation.text,
    )
  const named = NAMES.flatMap(name => PLACES.map(place => place.replaceAll(/\bN\b/g, name)))
  return [...new Set([...named, ...OTHERS].map(inTerms))]
}
