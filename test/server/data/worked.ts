import type { OwnershipView } from 'foldgate/client'
import { type PlacedActivity, placedActivities } from './activities.js'
import { type Dependency, dependenciesOf, dependencyTotals } from './dependencies.js'
import { type Entity, entitiesOf, pathsBelow } from './entities.js'
import type { FoldName } from './folds.js'
import { type Ownership, ownershipOf, sharesBelow, wholeBelow } from './ownership.js'
import type { PackageProject } from './package.js'
import { driverTotals, type Pressure, pressuresOf, pressureTotals } from './pressures.js'
import { exclusionsOf, type Risk, risksOf, riskTotals } from './risks.js'

/** Point of view of a query: the key of an entity, and how ownership counts. */
export interface Viewpoint {
  entity: string
  view: OwnershipView
  /** Whether the caller sees the subtree of the entity alone. Default: the caller names the entity. */
  isAlone?: boolean
}

/** The expected analytics of a project, computed from its CSV files row by row. */
export interface Worked {
  project: PackageProject
  ownership: Ownership
  activities: readonly PlacedActivity[]
  pressures: readonly Pressure[]
  dependencies: readonly Dependency[]
  /** Includes excluded risks. */
  risks: readonly Risk[]
  shares(from: Viewpoint): Map<string, number>
  /** The rows of every fold; rows of activities have no share, which is that of their entity. */
  folds(from: Viewpoint): Record<FoldName, readonly object[]>
}

/** Computes the expected analytics of a project. */
export function workOut(project: PackageProject): Worked {
  const ownership = ownershipOf(project)
  const activities = placedActivities(project)
  const pressures = pressuresOf(project, activities)
  const dependencies = dependenciesOf(project, ownership, activities)
  const risks = risksOf(project, ownership, activities)
  const entities = entitiesOf(project)
  const isExcluded = exclusionsOf(project)
  const kept = risks.filter(risk => !isExcluded(risk))
  const shares = ({ entity, view }: Viewpoint) =>
    view === 'gross' ? wholeBelow(ownership, entity) : sharesBelow(ownership, entity)
  return {
    project,
    ownership,
    activities,
    pressures,
    dependencies,
    risks,
    shares,
    folds(from) {
      const inView = shares(from)
      const totals = pressureTotals(pressures, inView)
      const isInView = ({ entity_key }: { entity_key: string }) => inView.has(entity_key)
      const rows = dependencies.filter(isInView)
      return {
        dash_ipbes: driverTotals(project, totals),
        fold_pressures: totals,
        dependency_rows: rows,
        fold_dependencies: dependencyTotals(rows),
        risk_rows: kept.filter(isInView),
        fold_risks: riskTotals(kept, inView),
        fold_entities: [...inView.keys()].map(key => entities.get(key) as Entity),
        ownership_paths: pathsBelow(ownership, from.entity),
      }
    },
  }
}
