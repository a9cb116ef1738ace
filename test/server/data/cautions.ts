import { entitiesOf, pathsBelow } from './entities.js'
import { groupBy, indexBy, sorted, sums, total } from './group.js'
import { amount, type PackageProject, text } from './package.js'
import type { Pressure } from './pressures.js'
import { exclusionsOf } from './risks.js'
import type { Viewpoint, Worked } from './worked.js'

type Answer = (worked: Worked, from: Viewpoint) => object[]

/** The answers to the worked examples for what is easily misread, by question, computed from the CSV files. */
export const ANSWERS: Record<string, Answer> = {
  'How much greenhouse gas do we emit in all, in tonnes of CO2 equivalent, by scope?': (worked, from) => {
    const lossOf = losses(worked.project)
    const perTonne = lossOf('co2e', 't')
    const warming = inView(worked, from).filter(({ kind }) => kind.ipbes_pressure === 'climate change')
    const counted = warming.filter(({ kind }) => lossOf(kind.pressure_indicator, kind.unit) !== null)
    if (perTonne === null) return []
    return sums(counted, ({ kind }) => [kind.scope]).map(([[scope], rows]) => ({
      scope,
      net_t_co2e: total(rows, ({ kind, net }) => (net * (lossOf(kind.pressure_indicator, kind.unit) ?? 0)) / perTonne),
    }))
  },
  'How much of our direct carbon dioxide is reported, and how much is computed from output?': (worked, from) => {
    const shares = worked.shares(from)
    const factors = worked.project
      .rows('factors')
      .filter(row => row.get('pressure_indicator') === 'co2' && row.get('scope') === '1')
    const perOutput = new Map(factors.map(row => [text(row, 'sector_code'), amount(row, 'factor_per_activity_unit')]))
    const emitting = worked.activities.flatMap(({ entity, site, sector, output, reportedCo2 }) => {
      const factor = perOutput.get(sector)
      const share = shares.get(entity)
      if (factor == null || share === undefined || (output === null && reportedCo2 === null)) return []
      const basis = reportedCo2 === null ? 'computed' : 'reported'
      return { basis, site, net: share * (reportedCo2 ?? (output ?? 0) * factor) }
    })
    return sums(emitting, ({ basis }) => [basis]).map(([[basis], rows]) => ({
      basis,
      unit: 't',
      net: total(rows, ({ net }) => net),
      sites: new Set(rows.map(({ site }) => site)).size,
    }))
  },
  'Where do the factors of our greenhouse gases come from?': (worked, from) => {
    const shares = worked.shares(from)
    const sectorOf = groupBy(
      worked.activities.filter(({ entity }) => shares.has(entity)),
      ({ sector }) => sector,
    )
    const pressing = new Set(sectorsUnder(worked, sectorOf))
    const sectors = indexBy(worked.project.rows('sectors'), row => text(row, 'sector_code'))
    const sources = worked.project.rows('sources')
    const rows = worked.project
      .rows('factors')
      .filter(row => row.get('ipbes_pressure') === 'climate change' && pressing.has(text(row, 'sector_code')))
      .flatMap(row => {
        const ids = (row.get('source_id') ?? '').split('+')
        const found = sources.filter(source => ids.includes(text(source, 'source_id')))
        return (found.length > 0 ? found : [null]).map(source => ({
          sector_code: text(row, 'sector_code'),
          pressure_indicator: text(row, 'pressure_indicator'),
          scope: Number(text(row, 'scope')),
          factor_per_activity_unit: amount(row, 'factor_per_activity_unit'),
          unit: text(row, 'unit'),
          multiplier: text(row, 'multiplier'),
          activity_unit: sectors.get(text(row, 'sector_code'))?.get('activity_unit') ?? null,
          how: row.get('how') ?? null,
          source_id: source?.get('source_id') ?? null,
          title: source?.get('title') ?? null,
        }))
      })
    return sorted(rows, row => [row.sector_code, row.pressure_indicator, row.unit, row.scope, row.source_id ?? ''])
  },
  'Which of our pressures are in no total of damage, as no conversion is known?': (worked, from) => {
    const lossOf = losses(worked.project)
    const left = inView(worked, from).filter(({ kind }) => lossOf(kind.pressure_indicator, kind.unit) === null)
    return sums(left, ({ kind }) => [kind.pressure_indicator, kind.unit, kind.ipbes_pressure]).map(([key, rows]) => {
      const [pressure_indicator, unit, ipbes_pressure] = key
      return { pressure_indicator, unit, ipbes_pressure, net: total(rows, ({ net }) => net) }
    })
  },
  'Which risks were excluded, for the whole project or for which entity?': (worked, from) => {
    const rules = indexBy(worked.project.rows('risk_rules'), row => text(row, 'risk_code'))
    const entities = entitiesOf(worked.project)
    const shares = worked.shares(from)
    const rows = worked.project.rows('risk_exclusions').flatMap(row => {
      const entity = row.get('entity_key') ?? null
      if (entity !== null && !shares.has(entity)) return []
      const risk_code = text(row, 'risk_code')
      const excluded_for = entity === null ? 'the whole project' : (entities.get(entity)?.name ?? null)
      const risk = rules.get(risk_code)?.get('risk') ?? null
      return { risk_code, risk, entity_key: entity, excluded_for, note: row.get('note') ?? null }
    })
    return sorted(rows, row => [row.risk_code, row.entity_key ?? '\uffff', row.note ?? ''])
  },
  'How many findings does each level of risk have, from very high to low?': (worked, from) => {
    const shares = worked.shares(from)
    const isExcluded = exclusionsOf(worked.project)
    const kept = worked.risks.filter(risk => !isExcluded(risk) && shares.has(risk.entity_key))
    return ['very high', 'high', 'medium', 'low'].flatMap(level => {
      const found = kept.filter(risk => risk.level === level)
      if (found.length === 0) return []
      const scores = found.map(({ score }) => score).sort((a, b) => a - b)
      const sites = new Set(found.map(({ site_key }) => site_key)).size
      return { level, least_score: scores[0], most_score: scores.at(-1), findings: found.length, sites }
    })
  },
  'Which of our dependencies are undetermined, and at how many sites?': (worked, from) => {
    const shares = worked.shares(from)
    const open = worked.dependencies.filter(row => row.rating_value === null && shares.has(row.entity_key))
    return sums(open, row => [row.sector_code, row.service_code]).map(([[sector_code, service_code], rows]) => ({
      sector_code,
      service_code,
      service: rows[0]?.service,
      rating: 'ND',
      sites: new Set(rows.map(({ site_key }) => site_key)).size,
    }))
  },
  'How many entities of each kind are in view?': (worked, from) => {
    const entities = entitiesOf(worked.project)
    const kinds = [...worked.shares(from).keys()].map(key => entities.get(key)?.kind ?? null)
    const counted = [...groupBy(kinds, kind => kind)].map(([kind, same]) => ({ kind, entities: same.length }))
    return sorted(counted, row => [-row.entities, row.kind ?? '\uffff'])
  },
  'Who holds which entity directly, with what share, and how much of it is ours?': (worked, from) => {
    const entities = entitiesOf(worked.project)
    const shares = worked.shares(from)
    const rows = [...worked.ownership.held].flatMap(([holder, holdings]) =>
      holdings.flatMap(({ entity, share }) => {
        if (!shares.has(holder)) return []
        const { name = null } = entities.get(entity) ?? {}
        const told = { entity_key: entity, name, ownership_share: share, our_share: shares.get(entity) }
        return { key: holder, row: { holder: entities.get(holder)?.name ?? null, ...told } }
      }),
    )
    return sorted(rows, ({ key, row }) => [row.entity_key, key]).map(({ row }) => row)
  },
  'How much do we produce per year, at our share and in full?': (worked, from) => {
    const units = indexBy(worked.project.rows('sectors'), row => text(row, 'sector_code'))
    const shares = worked.shares(from)
    const producing = worked.activities.flatMap(({ entity, sector, output }) => {
      const share = shares.get(entity)
      const unit = units.get(sector)?.get('activity_unit') ?? ''
      return output === null || share === undefined ? [] : { unit, output, share }
    })
    return sums(producing, ({ unit }) => [unit]).map(([[unit], rows]) => ({
      unit,
      at_our_share: total(rows, ({ output, share }) => output * share),
      in_full: total(rows, ({ output }) => output),
    }))
  },
  'How did our output change against the earlier year, where both are known?': (worked, from) => {
    const units = indexBy(worked.project.rows('sectors'), row => text(row, 'sector_code'))
    const entityOf = new Map(
      worked.project.rows('sites').map(row => [text(row, 'site_key'), text(row, 'entity_key')] as const),
    )
    const shares = worked.shares(from)
    const compared = worked.project.rows('activities').flatMap(row => {
      const [now, before] = [amount(row, 'output'), amount(row, 'output_prev')]
      const share = shares.get(entityOf.get(text(row, 'site_key')) ?? '')
      const unit = units.get(text(row, 'sector_code'))?.get('activity_unit') ?? ''
      if (now === null || before === null || share === undefined) return []
      return { unit, now: now * share, before: before * share }
    })
    return sums(compared, ({ unit }) => [unit]).map(([[unit], rows]) => {
      const [output, earlier] = [total(rows, ({ now }) => now), total(rows, ({ before }) => before)]
      const percent = earlier === 0 ? null : 100 * (output / earlier - 1)
      return { unit, activities: rows.length, output, earlier_output: earlier, percent }
    })
  },
  'How do our direct subsidiaries compare in carbon dioxide, each with all that it holds?': (worked, from) => {
    const direct = new Set((worked.ownership.held.get(from.entity) ?? []).map(({ entity }) => entity))
    const emitted = ({ kind }: Pressure) => kind.pressure_indicator === 'co2' && kind.scope === 1
    const shares = worked.shares(from)
    const rows = belowEach(worked, from, direct, emitted).map(({ entity_key, name, of }) => {
      const [net_t, our_share] = [total(of, ({ value, share }) => value * share), shares.get(entity_key) ?? 0]
      const gross_t = total(of, ({ value }) => value)
      return { entity_key, name, our_share, ours_t: net_t * our_share, net_t, gross_t }
    })
    return sorted(rows, row => [-row.net_t, row.entity_key])
  },
  'Which companies do nature most damage, each with all that it holds?': (worked, from) => {
    const entities = entitiesOf(worked.project)
    const lossOf = losses(worked.project)
    const companies = new Set([...entities.values()].filter(({ kind }) => kind === 'company').map(e => e.entity_key))
    const rows = belowEach(worked, from, companies, () => true).flatMap(({ entity_key, name, of }) => {
      const known = of.flatMap(({ kind, value, share }) => {
        const loss = lossOf(kind.pressure_indicator, kind.unit)
        return loss === null ? [] : value * share * loss
      })
      const species_yr = known.length === 0 ? null : total(known, value => value)
      return { entity_key, name, country: entities.get(entity_key)?.country ?? null, species_yr }
    })
    return sorted(rows, row => [
      row.species_yr === null ? Number.POSITIVE_INFINITY : -row.species_yr,
      row.entity_key,
    ]).slice(0, 10)
  },
}

/** The pressures in view, with what counts of them. */
function inView(worked: Worked, from: Viewpoint): (Pressure & { net: number })[] {
  const shares = worked.shares(from)
  return worked.pressures.flatMap(pressure => {
    const share = shares.get(pressure.entity)
    return share === undefined ? [] : { ...pressure, net: pressure.value * share }
  })
}

/** What each of `ancestors` in view has of the pressures below it; those without any are left out. */
function belowEach(
  worked: Worked,
  from: Viewpoint,
  ancestors: ReadonlySet<string>,
  isWanted: (pressure: Pressure) => boolean,
) {
  const entities = entitiesOf(worked.project)
  const pressures = groupBy(worked.pressures.filter(isWanted), ({ entity }) => entity)
  const paths = pathsBelow(worked.ownership, from.entity).filter(path => ancestors.has(path.ancestor_key))
  return [...groupBy(paths, path => path.ancestor_key)].flatMap(([entity_key, below]) => {
    const of = below.flatMap(({ entity_key: entity, share }) =>
      (pressures.get(entity) ?? []).map(pressure => ({ ...pressure, share })),
    )
    return of.length === 0 ? [] : { entity_key, name: entities.get(entity_key)?.name ?? null, of }
  })
}

/** Sectors that have a pressure in view. */
function sectorsUnder(
  worked: Worked,
  bySector: ReadonlyMap<string, readonly { site: string; output: unknown }[]>,
): string[] {
  const factors = groupBy(worked.project.rows('factors'), row => text(row, 'sector_code'))
  return [...bySector].flatMap(([sector, activities]) => {
    const isPressing = (factors.get(sector) ?? []).some(
      factor => factor.get('multiplier') === 'per_site' || activities.some(({ output }) => output !== null),
    )
    return isPressing ? [sector] : []
  })
}

/** Loss of species per unit of an indicator; null without a conversion. */
function losses(project: PackageProject): (indicator: string, unit: string) => number | null {
  const rows = new Map(
    project.rows('characterisation').map(row => [`${row.get('pressure_indicator')} ${row.get('unit')}`, row]),
  )
  return (indicator, unit) => {
    const row = rows.get(`${indicator} ${unit}`)
    return row ? amount(row, 'species_yr_per_unit') : null
  }
}
