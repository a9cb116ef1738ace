import { randomUUID } from 'node:crypto'

/** Ids that no store has, some of which lead out of its folder, or are another spelling of one that it has. */
export function oddIds(projectId: string, snapshotId: string): string[] {
  const [first = '', ...others] = snapshotId
  const inOtherCase =
    snapshotId === snapshotId.toUpperCase() ? snapshotId.toLowerCase() : snapshotId.toUpperCase()
  return [
    ...[
      '',
      ' ',
      '.',
      '..',
      '/',
      '\\',
      '*',
      '%',
      '\0',
      '-',
      '__proto__',
      'constructor',
      'manifest.json',
      '雪',
    ],
    ...[
      `../${projectId}/${snapshotId}`,
      `./${snapshotId}`,
      `${snapshotId}/`,
      `${snapshotId}/.`,
      `/${snapshotId}`,
    ],
    ...[
      `${snapshotId}x`,
      `x${snapshotId}`,
      `${snapshotId}\n`,
      ` ${snapshotId}`,
      `${snapshotId}\0`,
      `${snapshotId}.json`,
    ],
    ...[
      others.join(''),
      first,
      `%2e%2e/${snapshotId}`,
      `..\\${snapshotId}`,
      'x'.repeat(100_000),
      randomUUID(),
    ],
    ...(inOtherCase === snapshotId ? [] : [inOtherCase]),
  ]
}
