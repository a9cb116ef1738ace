import { BadRequestErrorFromJSON, Configuration, QueriesApi, ResponseError } from './queries'

const { FOLDGATE_URL: basePath = '', FOLDGATE_KEY: key = '', PROJECT: projectId = '' } = process.env
const queries = new QueriesApi(new Configuration({ basePath, accessToken: key }))

async function failure() {
  try {
    // @ts-expect-error: no such item
    await queries.amountsOfV3({ amountsOfV3Params: { projectId, parameters: { item: 'fire' } } })
  } catch (error) {
    if (error instanceof ResponseError) return BadRequestErrorFromJSON(await error.response.json())
  }
  throw new Error('the call succeeded')
}

async function main() {
  const parameters = { item: 'water' as const, least: 20, entities: ['half', 'joint', null] }
  const params = { projectId, parameters }
  const { result: page } = await queries.amountsOfV3({ amountsOfV3Params: params })
  if (!('items' in page)) throw new Error('the answer is a link')
  const keys: (string | null)[] = page.items.map(row => row.entityKey)
  const amounts: (number | string | null)[] = page.items.map(row => row.amount)
  const { result: file } = await queries.amountsOfV3({ amountsOfV3Params: { ...params, format: 'csv' } })
  const { result: numbers } = await queries.numbersV1({ numbersV1Params: { projectId, parameters: { below: '3' } } })
  const refused = await failure()
  const result = {
    keys,
    amounts,
    file: 'url' in file && file.rows,
    numbers: 'items' in numbers && numbers.items,
    refused: [refused._class, refused._class === 'INVALID_PARAMS' ? refused.data.path : undefined],
  }
  console.log(JSON.stringify(result))
}

void main()
