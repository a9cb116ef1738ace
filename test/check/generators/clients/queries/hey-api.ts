import { type AmountsOfV3Row, amountsOfV3, numbersV1 } from './queries'
import { client } from './queries/client.gen'

const { FOLDGATE_URL: baseUrl = '', FOLDGATE_KEY: key = '', PROJECT: projectId = '' } = process.env
client.setConfig({ baseUrl, auth: key })

async function main() {
  const parameters = { item: 'water', least: 20, entities: ['half', 'joint', null] } as const
  const body = { projectId, parameters: { ...parameters, entities: [...parameters.entities] } }
  const { data } = await amountsOfV3({ throwOnError: true, body })
  if (!('items' in data.result)) throw new Error('the answer is a link')
  const rows: AmountsOfV3Row[] = data.result.items
  const keys: (string | null)[] = rows.map(row => row.entity_key)
  const amounts: (number | string | null)[] = rows.map(row => row.amount)
  const { data: file } = await amountsOfV3({ throwOnError: true, body: { ...body, format: 'csv' } })
  const numbers = await numbersV1({ throwOnError: true, body: { projectId, parameters: { below: '3' } } })
  // @ts-expect-error: no such item
  const { error } = await amountsOfV3({ body: { projectId, parameters: { item: 'fire' } } })
  const result = {
    keys,
    amounts,
    file: 'url' in file.result && file.result.rows,
    numbers: 'items' in numbers.data.result && numbers.data.result.items,
    refused: [error?.class, error?.class === 'INVALID_PARAMS' ? error.data.path : undefined],
  }
  console.log(JSON.stringify(result))
}

void main()
