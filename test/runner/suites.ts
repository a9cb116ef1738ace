import { delimiter, dirname } from 'node:path'
import { LONG, LONG_OF_ENGINE, REST, type Suite } from './suite-files.js'

/** What `npm test` runs, in an order in which two lanes end at about the same time. */
export const TEST: readonly Suite[] = [
  { name: 'conformance', files: ['conformance/**'], except: LONG },
  { name: 'server', files: ['server/**'], except: LONG },
  { name: 'all else', files: ['**'], except: ['server/**', 'engine/**', 'conformance/**', ...REST, ...LONG] },
  { name: 'engine', files: ['engine/**'], except: LONG_OF_ENGINE },
]

/** Suites that read the server's store, which PostgreSQL can hold as well. */
const ON_THE_STORE = [
  ...['cli', 'contracts', 'keys', 'operation', 'pool', 'projects', 'quota', 'removal', 'removing'],
  ...['served-usage', 'shared-folder', 'store', 'tour', 'upgrades', 'usage', 'users'],
  ...['chores', 'quota-windows', 'usage-retention'],
].map(name => `server/${name}.test.ts`)

/** Suites that read the tables of the group, or the shop by its name; the others read those of any vendor. */
const OF_ONE_VENDOR = [
  ...['broken-statements', 'engines', 'limited-keys', 'limited-relations', 'named-query-failures'],
  ...['query', 'shop', 'sql', 'tokens', 'treeless'],
]
  .map(name => `conformance/${name}.test.ts`)
  .concat('conformance/row-limits**')

/** Suites whose calls come at REST and one other entry point in `npm test`, and at all of them in `npm run check`. */
const AT_ENTRIES = ['suite', 'limited-keys', 'limited-relations', 'limited-values'].map(
  name => `conformance/${name}.test.ts`,
)

/** Suites that time one caller while another one misbehaves. */
const ON_NEIGHBOURS = ['bodies', 'other-tenants', 'slow-statements', 'unread', 'walls'].map(
  name => `check/hostile/${name}.test.ts`,
)

/** Suites whose processes lie, those that repeat what the guard reads, and those that search answers for words of ours. */
const ON_PROCESSES = ['guard-growth', 'liars', 'message-schemas', 'seal-liars', 'words'].map(
  name => `check/hostile/${name}.test.ts`,
)

/** Suites of values that are hard to read, to write or to bind. */
const OF_VALUES = ['broken-strings', 'dirty', 'parameters', 'strings'].map(name => `check/hostile/${name}.test.ts`)

const LIBRARY = ['lib/http', 'lib/rpc', 'lib/adapters', 'lib/call', 'lib/errors.ts']
const DOCUMENTS = ['lib/description', 'lib/methods', 'lib/catalogue', 'lib/call', 'lib/errors.ts', 'lib/options.ts']
const VALUES = ['lib/values', 'lib/duckdb/child', 'lib/seal/child', 'lib/exports']
const ON_GUARD = ['package.json', 'lib', 'test/sql', 'test/types', 'test/service', 'test/unit', 'test/check/hostile']
/** What hosts run, and what the tests of several rooms share. */
const OF_HOSTS = [
  ...['package.json', 'package-lock.json', 'lib', 'examples'],
  ...['test/conformance', 'test/service', 'test/sql', 'test/types'],
]
const OF_SERVERS = [...OF_HOSTS, 'server', 'deploy', 'docs', 'test/server']

/** What may differ with the version of Node: processes, sockets, streams, and what is native. */
const ON_NODE = ['package.json', 'lib/flow', 'lib/sandbox', 'lib/duckdb/child/main.ts', 'lib/bundle.mjs']

/** Long tests of the engine that compare rows and messages, which no version of Node and no launcher changes. */
const OF_ROWS = [
  ...['append', 'check-catalogue', 'check-catalogue-ends', 'checked-at-start', 'kept-plans', 'older-snapshots'],
  ...[
    'seal-columns',
    'seal-losses',
    'seal-many',
    'seal-marks',
    'seal-parquet',
    'seal-stored',
    'seal-text',
    'sealed-tables',
  ],
  ...['sealer-catalogue', 'source-versions', 'tenant-versions', 'ties', 'trino-computed'],
].map(name => `engine/${name}.test.ts`)

/** Ports and engines that are wrong, and what the checks say of them. */
const WRONG = 'packages/contracts/test/check/wrong.test.ts'

/** Suites of webhooks, each of which runs with those that start the same. */
const WEBHOOKS = {
  browser: 'packages/webhooks/test/check/browser.test.ts',
  events: 'packages/webhooks/test/check/events.test.ts',
  pages: 'packages/webhooks/test/check/pages.test.ts',
  servers: 'packages/webhooks/test/check/servers.test.ts',
}

/** Suites on how wide pages look in which colors; what pages do always runs. */
const LOOKS = [
  'check/browser/looks.test.ts',
  ...['editor-looks', 'largest', 'looks'].map(name => `packages/explore/test/check/browser/${name}.test.ts`),
]
/** Suites that install the packages, bundle them, and run them in other runtimes. */
const INSTALLED = ['begin', 'bundlers', 'bundles', 'next', 'prune', 'runtimes'].map(
  name => `check/package/${name}.test.ts`,
)

/** With this folder first, processes start behind the setpriv in it. */
const LANDLOCK_FIRST = [dirname(process.env.FOLDGATE_TEST_SETPRIV ?? ''), process.env.PATH].join(delimiter)

/** What `npm run check` runs on the Node that runs the runner. Suites that take long come first. */
const CHECK: readonly Suite[] = [
  {
    name: 'browser',
    files: ['check/browser/**', 'packages/explore/test/check/browser/**', WEBHOOKS.browser],
    except: LOOKS,
    touchedBy: [...OF_SERVERS, 'packages/explore', 'packages/webhooks/src'],
  },
  {
    name: 'looks of pages',
    files: LOOKS,
    touchedBy: [
      ...['packages/explore/src', 'packages/explore/test/check/browser'],
      ...['server/pages', 'lib/client', 'test/check/browser'],
    ],
  },
  { name: 'package', files: ['check/package/**'], except: INSTALLED },
  {
    name: 'installed packages',
    files: INSTALLED,
    touchedBy: [...OF_HOSTS, 'docs/guides/begin.md', 'docs/operate.md'],
  },
  {
    name: 'mounts',
    files: ['check/mounts/**'],
    touchedBy: [...LIBRARY, 'examples', 'test/conformance', 'test/service'],
  },
  {
    name: 'entry points',
    files: AT_ENTRIES,
    touchedBy: [
      ...[...LIBRARY, 'lib/api.ts', 'lib/schema.ts', 'lib/methods', 'lib/mcp', 'lib/description', 'lib/exports'],
      ...['lib/values', 'test/conformance', 'test/service'],
    ],
    env: { FOLDGATE_TEST_ENTRIES: 'all' },
  },
  {
    name: 'conformance over a shop',
    files: ['conformance/**', 'description/**'],
    except: OF_ONE_VENDOR,
    touchedBy: [
      ...['lib/words.ts', 'lib/methods', 'lib/catalogue', 'lib/description', 'examples/shop'],
      ...['test/conformance', 'test/description', 'test/service'],
    ],
    env: { FOLDGATE_TEST_VENDOR: 'shop' },
  },
  {
    name: 'shop',
    files: ['check/shop/**'],
    touchedBy: ['lib', 'examples/shop'],
  },
  {
    name: 'refresh',
    files: ['check/refresh/**'],
    touchedBy: ['lib', 'packages/postgres/src', 'examples', 'docs/guides/refreshing.md'],
    needs: 'FOLDGATE_TEST_POSTGRES',
  },
  {
    name: 'trino',
    files: ['packages/trino/test/check/**'],
    except: ['packages/trino/test/check/killed-worker.test.ts', 'packages/trino/test/check/row-process.test.ts'],
    touchedBy: [
      ...['packages/trino', 'packages/s3/src', 'packages/contracts', 'lib/engine', 'lib/catalogue', 'lib/flow'],
      ...['lib/objects', 'lib/snapshots', 'server/serving', 'server/snapshots', 'examples/assessed'],
    ],
    needs: 'FOLDGATE_TEST_TRINO',
  },
  {
    name: 'trino with killed workers',
    files: ['packages/trino/test/check/killed-worker.test.ts'],
    alone: true,
    touchedBy: ['protocol', 'statements.ts', 'rows'].map(name => `packages/trino/src/${name}`),
    env: { FOLDGATE_TEST_TRINO: 'all' },
    needs: 'FOLDGATE_TEST_TRINO',
  },
  {
    name: 'generators',
    files: ['check/generators/**', 'check/description/**'],
    touchedBy: [...DOCUMENTS, 'test/check/generators', 'test/description'],
  },
  {
    name: 'readers',
    files: ['check/readers/**'],
    touchedBy: [...VALUES, 'package.json', 'test/check/readers', 'test/types'],
  },
  {
    name: 'callers',
    files: ['check/callers/**'],
    touchedBy: [...LIBRARY, 'docs/clients.md', 'examples', 'test/check/callers'],
  },
  { name: 'libraries', files: ['check/libraries/**'], touchedBy: LIBRARY },
  {
    name: 'hostile statements',
    files: ['check/hostile/**'],
    except: [...ON_NEIGHBOURS, ...ON_PROCESSES, ...OF_VALUES],
    touchedBy: ON_GUARD,
  },
  { name: 'hostile values', files: OF_VALUES, touchedBy: ON_GUARD },
  {
    name: 'values and contracts',
    files: ['check/property/**', 'packages/contracts/test/**'],
    except: [WRONG],
    touchedBy: [
      ...['package.json', 'lib', 'packages/contracts', 'test/sql', 'test/types', 'test/service', 'test/conformance'],
      ...['test/unit', 'test/check/hostile', 'test/check/property'],
    ],
  },
  {
    name: 'what is sealed',
    files: ['check/sealing/**'],
    touchedBy: ['package.json', 'lib', 'test/types', 'test/check/sealing'],
  },
  {
    name: 'what processes tell',
    files: ON_PROCESSES,
    touchedBy: ['package.json', 'lib', 'packages/transfer/src', 'packages/trino/src'],
  },
  {
    name: 'ports and engines that are wrong',
    files: [WRONG],
    touchedBy: ['lib', 'packages/contracts'],
  },
  {
    name: 'callers of the server',
    files: [
      ...['check/client/**', 'check/documents/**', 'check/hosts/**', 'check/mcp/**'],
      'packages/explore/test/check/**',
    ],
    except: ['packages/explore/test/check/browser/**', 'packages/explore/test/check/pages/**'],
  },
  {
    name: 'store in S3',
    files: ['packages/s3/test/check/**'],
    touchedBy: [
      'packages/s3/src',
      'packages/s3/test',
      'lib/objects',
      'lib/snapshots',
      'lib/exports',
      'lib/files',
      'server/snapshots',
      'test/server',
    ],
  },
  {
    name: 'server',
    files: ['check/server/**', WEBHOOKS.events],
    touchedBy: [...OF_SERVERS, 'packages/transfer/src', 'packages/webhooks/src', 'README.md'],
  },
  {
    name: 'deployment',
    files: ['check/operation/**'],
    touchedBy: ['deploy', 'docs/operate.md', 'server/operation', 'server/settings'],
  },
  {
    name: 'answers',
    files: ['check/answers/**'],
    touchedBy: ['package.json', 'lib', 'test/check/answers', 'test/types'],
  },
  {
    name: 'engine',
    files: ['check/ahead/**', 'check/engine/**', 'packages/trino/test/check/row-process.test.ts'],
    touchedBy: [...OF_HOSTS, 'packages/trino/src'],
  },
  { name: 'long tests of the engine', files: LONG_OF_ENGINE, touchedBy: [...OF_HOSTS, 'packages/trino/src'] },
  {
    name: 'long tests',
    files: LONG,
    touchedBy: [...OF_SERVERS, 'packages/explore/src/server', 'packages/webhooks/src'],
  },
  { name: 'sandbox', files: ['check/sandbox/**'], touchedBy: [...OF_HOSTS, 'bench/bombs', 'test/check/sandbox'] },
  {
    name: 'pages',
    files: ['check/pages/**', 'packages/explore/test/check/pages/**', WEBHOOKS.pages],
    except: ['check/pages/timing.test.ts'],
    touchedBy: [...OF_SERVERS, 'packages/explore', 'packages/webhooks/src'],
  },
  {
    name: 'store in PostgreSQL',
    files: [
      ...[
        ...ON_THE_STORE,
        'check/pages/**',
        'packages/transfer/test/check/import.test.ts',
        'packages/webhooks/test/**',
        'packages/explore/test/saved-queries.test.ts',
        'packages/explore/test/check/pages/**',
      ],
    ],
    except: ['check/pages/timing.test.ts', WEBHOOKS.browser, WEBHOOKS.events, WEBHOOKS.servers],
    touchedBy: [
      ...[
        'packages/postgres/src/store',
        'server/database',
        'server/store',
        'packages/webhooks',
        'packages/transfer/src',
        'packages/explore/src/server',
      ],
      ...['test/server', 'test/check/pages', '.ci/postgres'],
    ],
    env: { FOLDGATE_TEST_STORE: 'postgres' },
    needs: 'FOLDGATE_TEST_POSTGRES',
  },
  {
    name: 'sources in PostgreSQL',
    files: ['packages/postgres/test/**'],
    touchedBy: [
      'packages/postgres/src',
      'packages/postgres/test',
      'lib/sources',
      'lib/duckdb',
      'lib/values',
      'server/cli',
      'examples/guides',
    ],
    needs: 'FOLDGATE_TEST_POSTGRES',
  },
  {
    name: 'transfer',
    files: ['packages/transfer/test/**'],
    touchedBy: ['package.json', 'lib/snapshots', 'server/snapshots', 'server/store', 'packages/transfer'],
  },
  { name: 'faults', files: ['check/faults/**'], touchedBy: OF_SERVERS },
  {
    name: 'engine behind Landlock',
    files: ['engine/**'],
    except: OF_ROWS,
    touchedBy: ['lib/flow', 'lib/sandbox', 'lib/duckdb/child/main.ts', 'test/engine', '.ci/landlock'],
    env: { FOLDGATE_TEST_LAUNCHER: 'setpriv', PATH: LANDLOCK_FIRST },
    needs: 'FOLDGATE_TEST_SETPRIV',
  },
  { name: 'several servers', files: ['check/servers/**', WEBHOOKS.servers], alone: true },
  {
    name: 'neighbours',
    files: [...ON_NEIGHBOURS, 'check/pages/timing.test.ts'],
    alone: true,
    touchedBy: OF_SERVERS,
  },
]

/** The engine, its recovery, statements that exhaust a process, and hosts: what may differ with the version of Node. */
const ON_EACH_VERSION: Pick<Suite, 'files' | 'except' | 'touchedBy'> = {
  files: [
    ...['engine/**', 'conformance/sql.test.ts', 'check/faults/**', 'check/hosts/**'],
    'check/engine/arrow-memory.test.ts',
  ],
  except: OF_ROWS,
  touchedBy: ON_NODE,
}

/** Versions of Node besides the one that runs the runner, and what runs on each. */
const VERSIONS: readonly Suite[] = [
  {
    name: 'npm test on Node 24',
    files: ['**'],
    except: [...REST, ...LONG, ...LONG_OF_ENGINE],
    node: 24,
    touchedBy: [...ON_NODE, 'lib/adapters'],
  },
  { name: 'engine on Node 22', ...ON_EACH_VERSION, node: 22 },
  { name: 'engine on Node 26', ...ON_EACH_VERSION, node: 26 },
]

/** What `npm run check` runs. */
export const CHECKS: readonly Suite[] = [...VERSIONS, ...CHECK]

/** Suites of checks that read what the engine answers, of which one runs longer for a new version. */
const ON_ANSWERS = ['hostile statements', 'hostile values', 'values and contracts', 'readers', 'engine'].map(wanted =>
  CHECK.find(({ name }) => name === wanted),
)

/** Suites that have a name together. */
export const GROUPS: Readonly<Record<string, readonly Suite[]>> = {
  /** What to look at when the engine has a new version. */
  'engine-upgrade': [
    {
      name: 'functions, types and statements',
      files: ['unit/guard**', 'unit/optimizer**', 'engine/**', 'types/**', 'conformance/sql.test.ts'],
    },
    ...ON_ANSWERS.filter(suite => suite !== undefined),
    { name: 'answers', files: ['check/answers/**'], env: { FOLDGATE_ANSWERS_MINUTES: '15' } },
  ],
}

/** The suites and groups of these names; all suites without a name. Null when a name is none. */
export function suitesNamed(names: readonly string[], suites: readonly Suite[]): readonly Suite[] | null {
  if (names.length === 0) return suites
  const isKnown = (name: string) => name in GROUPS || suites.some(suite => suite.name === name)
  if (!names.every(isKnown)) return null
  return [...suites.filter(({ name }) => names.includes(name)), ...names.flatMap(name => GROUPS[name] ?? [])]
}
