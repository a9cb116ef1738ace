import {
  type Check,
  catalogueContract,
  exportPortContract,
  keyPortContract,
  projectPortContract,
  quotaPortContract,
  snapshotPortContract,
  usagePortContract,
} from 'foldgate/contracts'
import { catalogue } from '#server/catalogue/index.js'
import { countedQuota, folderExports, folderSnapshots, listedUsage, memoryKeys, memoryProjects } from './subjects.js'

const OWN: Record<string, Check[]> = {
  'keys in memory': keyPortContract(memoryKeys),
  'projects in memory': projectPortContract(memoryProjects),
  directorySnapshots: snapshotPortContract(folderSnapshots),
  directoryExports: exportPortContract(folderExports),
  memoryQuota: quotaPortContract(countedQuota),
  'the reference catalogue': catalogueContract(() => ({ catalogue })),
  'usage in memory': usagePortContract(listedUsage),
}

for (const [name, checks] of Object.entries(OWN))
  describe(`the contract holds for ${name}`, () => {
    for (const { name, run } of checks) it(name, run)
  })
