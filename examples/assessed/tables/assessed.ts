import { defineTable } from 'foldgate'
import {
  amount,
  ENTITY_ID,
  ENTITY_KEY,
  OUTPUT,
  RISK_CODE,
  SECTOR_CODE,
  SITE_KEY,
  SOURCE_ID,
  SOURCE_REF,
  text,
  whole,
} from '../columns.js'

/** The assessed figures: of all of the project, whatever entity a query looks from, and before any share. */
export const assessedTables = [
  defineTable({
    name: 'entities',
    about:
      'One holder of an entity, for the whole project: an entity with several holders has several rows with the ' +
      'same key and id. fold_entities has each entity once.',
    columns: {
      entity_key: ENTITY_KEY,
      entity_id: ENTITY_ID,
      parent_key: text('Key of the holder; NULL for the root of the project'),
      name: text('Name of the entity'),
      kind: text('Kind of entity, such as group, country, company or asset'),
      iso3: text(
        'Country of the entity, as an ISO 3166 code of three letters; NULL where it has none, as the root',
      ),
      ownership_share: amount(
        'Share that the holder in parent_key has in the entity, 0 to 1. It does not count for the entity that a ' +
          'query looks from',
      ),
      share_basis: text('Where the share comes from'),
      source_ref: SOURCE_REF,
    },
    required: ['entity_key', 'entity_id', 'ownership_share'],
    unique: ['entity_key', 'parent_key'],
    references: { iso3: 'countries.iso3' },
  }),
  defineTable({
    name: 'sites',
    about:
      'One site of one entity, for the whole project: join point_of_view on entity_key for the sites in view.',
    columns: {
      site_key: SITE_KEY,
      entity_key: text('Key of the one entity that has the site, as a whole'),
      name: text('Name of the site'),
      iso3: text(
        'Country of the site, as an ISO 3166 code of three letters; NULL where it is unknown, and then factors ' +
          'with the multiplier grid give no pressure',
      ),
      latitude: amount('North of the equator, -90 to 90', 'degrees'),
      longitude: amount('East of Greenwich, -180 to 180', 'degrees'),
      biome_num: whole('Number of the biome; NULL where it is unknown'),
      ecoregion_id: whole('Number of the ecoregion; NULL where it is unknown'),
      biome_method: text('How the biome of the site was found'),
      source_id: SOURCE_ID,
      source_ref: SOURCE_REF,
    },
    required: ['site_key', 'entity_key'],
    unique: ['site_key'],
    references: {
      entity_key: 'entities.entity_key',
      iso3: 'countries.iso3',
      biome_num: 'biomes.biome_num',
      ecoregion_id: 'ecoregions.ecoregion_id',
    },
    ranges: { latitude: { least: -90, most: 90 }, longitude: { least: -180, most: 180 } },
    rowLimits: { entities: 'entity_key' },
  }),
  defineTable({
    name: 'activities',
    about:
      'What one site does in one sector, for the whole project and at 100 %: join point_of_view through sites, and ' +
      'multiply by its share, for what counts in view.',
    columns: {
      site_key: SITE_KEY,
      sector_code: SECTOR_CODE,
      capacity: amount('Installed capacity at 100 %', { column: 'capacity_unit' }),
      capacity_unit: text('Unit of the capacity, such as MW, or ttpa for thousands of tonnes per year'),
      output: {
        ...OUTPUT,
        unit: { column: 'output_unit' },
        about: `${OUTPUT.about}, and then no pressure is computed from it; reported CO2, and factors with the multiplier per_site, count all the same`,
      },
      output_unit: text('Unit of the output: the activity_unit of the sector'),
      output_basis: text('How the output was reported or estimated'),
      output_prev: amount(
        'Output of an earlier year, in the same unit; NULL where none is given: compare only activities that have ' +
          'both. No fold reads it',
        { column: 'output_unit' },
      ),
      reported_co2_t: amount(
        'Reported CO2 of scope 1 per year. It replaces the CO2 that would be computed from the output, in sectors ' +
          'with a factor of co2 in scope 1; NULL: none is reported, and CO2 is computed',
        't',
      ),
      start_year: whole('Year in which the activity started'),
    },
    required: ['site_key', 'sector_code'],
    unique: ['site_key', 'sector_code'],
    references: { site_key: 'sites.site_key', sector_code: 'sectors.sector_code' },
    ranges: {
      capacity: { least: 0 },
      output: { least: 0 },
      output_prev: { least: 0 },
      reported_co2_t: { least: 0 },
      start_year: { least: 1700, most: 2200 },
    },
    warnings: ['start_year'],
    rowLimits: { entities: { through: 'site_key' } },
  }),
  // No unique key: excluding a risk twice, perhaps with another note, changes nothing.
  defineTable({
    name: 'risk_exclusions',
    about:
      'A risk that a user excluded, for the whole project or for the sites of one entity. fold_risks and risk_rows ' +
      'leave out what is excluded. Those of entities out of view are listed too: only where entity_key is NULL is the ' +
      'risk excluded in the whole project.',
    columns: {
      risk_code: RISK_CODE,
      entity_key: text(
        'Key of the entity at whose own sites the risk is excluded, not at those of entities below it; NULL: it is ' +
          'excluded in the whole project',
      ),
      note: text('Remark of the user'),
    },
    required: ['risk_code'],
    references: { risk_code: 'risk_rules.risk_code', entity_key: 'entities.entity_key' },
    rowLimits: { entities: 'entity_key' },
  }),
]
