// Reads pages of rows, downloads an export, and opens it. The service and the key come from the environment.
import { createWriteStream } from 'node:fs'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { AnalyticsClientError, AnalyticsConnectionError, createClient } from 'foldgate/client'

const { FOLDGATE_URL: url = 'http://127.0.0.1:8080', FOLDGATE_KEY: key = '' } = process.env
const client = createClient({ url, key })

try {
  for await (const project of client.projects()) {
    if (project.state !== 'computed') continue
    console.log(project.name)
    const { projectId } = project
    const sql =
      'SELECT ipbes_pressure, value, unit FROM dash_ipbes ORDER BY value DESC NULLS LAST, ipbes_pressure'
    for await (const row of client.rows<{ ipbes_pressure: string; value: number | null; unit: string }>({
      projectId,
      sql,
    }))
      console.log(`  ${row.ipbes_pressure}: ${row.value ?? 'not assessed'} ${row.unit}`)
  }

  const { items } = await client.list()
  const projectId = items.find(({ state }) => state === 'computed')?.projectId ?? ''
  // Values are sent beside the statement, which names them as $name. Concatenated into it, they would be SQL.
  const exported = await client.export({
    projectId,
    sql: 'SELECT * FROM fold_pressures WHERE pressure_indicator = $pressure',
    parameters: { pressure: 'co2e' },
  })
  const { body, fileName } = await client.download(exported)
  await pipeline(Readable.fromWeb(body as never), createWriteStream(fileName ?? 'export.parquet'))
  const table = await client.readTable(exported) // or open the file with any Parquet reader
  console.log(`${fileName}: ${table.numRows} rows of ${table.schema.names.join(', ')}`)
} catch (error) {
  if (error instanceof AnalyticsClientError)
    console.error(`${error.method}: ${error.class}. ${error.message}`)
  else if (error instanceof AnalyticsConnectionError)
    console.error(error.message) // no answer, or not one of the service
  else throw error
  process.exitCode = 1
}
