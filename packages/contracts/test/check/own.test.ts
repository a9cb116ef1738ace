import {
  type Check,
  catalogueContract,
  exportPortContract,
  keyPortContract,
  projectPortContract,
  quotaPortContract,
  snapshotPortContract,
  sourceContract,
  usagePortContract,
} from 'foldgate-contracts'
import catalogue from '../../../../server/dist/assessed/catalogue.js'
import { arrowSource, csvSource, hostSource, parquetSource, rowSource, undeclaredRowSource } from './sources.js'
import {
  countedQuota,
  folderExports,
  folderSnapshots,
  listedUsage,
  memoryKeys,
  memoryProjects,
  tokensOfUsers,
} from './subjects.js'

const OWN: Record<string, Check[]> = {
  'keys in memory': keyPortContract(memoryKeys),
  tokenKeys: keyPortContract(tokensOfUsers),
  'projects in memory': projectPortContract(memoryProjects),
  directorySnapshots: snapshotPortContract(folderSnapshots),
  directoryExports: exportPortContract(folderExports),
  memoryQuota: quotaPortContract(countedQuota),
  fromRows: sourceContract(rowSource),
  'fromRows without declared columns': sourceContract(undeclaredRowSource),
  fromCsv: sourceContract(csvSource),
  fromParquet: sourceContract(parquetSource),
  fromArrow: sourceContract(arrowSource),
  'the reference catalogue': catalogueContract(() => ({ catalogue })),
  'usage in memory': usagePortContract(listedUsage),
}

for (const [name, checks] of Object.entries(OWN))
  describe(`the contract holds for ${name}`, () => {
    for (const { name, run } of checks) it(name, run)
  })

describe('the contract holds for a source of a host', () => {
  for (const { name, run } of sourceContract(hostSource)) it(name, run)
})
