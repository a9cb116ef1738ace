/** Definitions of columns, and the columns that recur in tables and folds. */

/** A column of text. */
export const text = (about: string) => ({ type: 'VARCHAR', about })
/** A column of whole numbers. */
export const whole = (about: string) => ({ type: 'INTEGER', about })
/** A column of counts. */
export const count = (about: string) => ({ type: 'BIGINT', about })
/** A column of quantities, with their unit or the column that has it; without one, they have none. */
export const amount = (about: string, unit?: string | { column: string }) => ({
  type: 'DOUBLE',
  about,
  ...(unit === undefined ? {} : { unit }),
})

export const ENTITY_KEY = text('Key of the entity within the project')
export const ENTITY_ID = {
  type: 'UUID',
  about: 'Id of the entity, which a call sends as entityId to look from it',
}
export const SITE_KEY = text('Key of the site within the project')
export const SECTOR_CODE = text('Code of the sector')
export const SHARE = amount(
  'Share of the entity that counts, 0 to 1: what the entity that the query looks from holds of it, through all ' +
    'paths; 1 when the call asks for gross',
)

export const PRESSURE_INDICATOR = text(
  'What is measured, such as co2, co2e or water_consumption. co2e, in CO2 equivalents, leaves out what is counted ' +
    'as co2, ch4 or n2o: all greenhouse gases are the four together, converted by characterisation',
)
export const DRIVER = text('IPBES driver of nature loss')
export const SCOPE = whole('1: own activities, 2: purchased energy, 3: value chain')
export const BIOME = text('Biome of the site; NULL where it is unknown, and in scopes 2 and 3')

export const SERVICE_CODE = text('Code of the ecosystem service')
export const SERVICE = text('Name of the ecosystem service')
export const CATEGORY = text('Group of ecosystem services, such as provisioning, regulating or cultural')
export const OWN_SCOPE = whole('Always 1: own activities')
export const RATING = { ...text('Rating; ND when undetermined'), order: ['VL', 'L', 'M', 'H', 'VH'] }
export const RATING_VALUE = whole('Rating as a number, 1 (very low) to 5 (very high); NULL when undetermined')

export const RISK_CODE = text('Code of the risk')
export const RISK_TYPE = text('Type of risk, such as physical or transition')
export const RISK = text('Name of the risk')
export const SOURCE_CODE = text(
  'Code of the ecosystem service or pressure whose rating the risk is derived from',
)

export const ISO3 = text('Country, as an ISO 3166 code of three letters')
export const SOURCE_ID = text('Where the figures are from: a source_id of sources; a + joins several')
export const SOURCE_REF = text('Where the record is in its source')
export const CHECK = text('How far the figure was verified, such as read or cited')
export const HOW = text('How the figure was derived: its arithmetic')
export const OUTPUT = amount(
  'Yearly output at 100 %, in the activity_unit of the sector; NULL where it is unknown',
)
