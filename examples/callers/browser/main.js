// Opens an export of the first assessed project and draws the pressure that the visitor picks.
import { AnalyticsClientError, createClient } from 'foldgate/client'
import { barChart } from './chart.js'

const form = document.querySelector('form')
const said = document.querySelector('#said')
const section = document.querySelector('section')
const select = document.querySelector('select')

form.addEventListener('submit', async event => {
  event.preventDefault()
  section.hidden = true
  try {
    const { name, table } = await openExport(Object.fromEntries(new FormData(form)))
    const pressures = totalsOf(table)
    select.replaceChildren(...[...pressures.keys()].map(key => new Option(key)))
    select.onchange = () => draw(select.value, pressures.get(select.value))
    select.onchange()
    said.textContent = `${name}: ${table.numRows} rows`
    section.hidden = false
  } catch (error) {
    said.textContent =
      error instanceof AnalyticsClientError ? `${error.class}: ${error.message}` : error.message
  }
})

async function openExport({ url, key }) {
  said.textContent = 'Exporting …'
  const client = createClient({ url, key })
  for await (const { name, projectId, state } of client.projects()) {
    if (state !== 'computed') continue
    const exported = await client.export({ projectId, sql: 'SELECT * FROM fold_pressures' })
    const onProgress = ({ receivedBytes, totalBytes }) => {
      said.textContent = `${receivedBytes} of ${totalBytes} bytes`
    }
    return { name, table: await client.readTable(exported, { onProgress }) }
  }
  throw new Error('None of the projects that this key can read has been assessed yet.')
}

/** Net totals by biome, for each pressure and unit. */
function totalsOf(table) {
  const totals = new Map()
  for (const { pressure_indicator: pressure, unit, biome, net } of table) {
    const key = `${pressure} (${unit})`
    const biomes = totals.get(key) ?? new Map()
    biomes.set(biome ?? 'no biome', (biomes.get(biome ?? 'no biome') ?? 0) + Number(net ?? 0))
    totals.set(key, biomes)
  }
  return new Map([...totals].sort(([a], [b]) => a.localeCompare(b)))
}

function draw(title, totals) {
  const bars = [...totals].sort(([, a], [, b]) => b - a).map(([label, value]) => ({ label, value }))
  document.querySelector('figure').replaceChildren(barChart(title, bars))
}
