import { type Sheet, sheet } from './sheets.js'

const FACTS = 'single figures, cited as facts'

/** The sources behind each `source_id` of the package; an id with a `+` names two of them. */
const SOURCES: [id: string, title: string, citation: string, licence: string, where: string, use: string][] =
  [
    [
      'MADEUP',
      'Made up for this package',
      'Foldgate, made-up demonstration package. No company, site, share, rating or risk in it exists.',
      'MIT, as the software',
      'drawn by the generator of this package',
      'organizations, projects, entities, sites, activities, ratings, risks, scales, and figures labelled made up',
    ],
    [
      'IPCC2006',
      '2006 IPCC Guidelines for National Greenhouse Gas Inventories',
      'IPCC (2006). Eggleston H.S., Buendia L., Miwa K., Ngara T. and Tanabe K. (eds). IGES, Japan.',
      FACTS,
      'ipcc-nggip.iges.or.jp: vol. 2 tables 1.2 and 2.2 and chapter 4, vol. 3 chapters 2 and 4',
      'heating values; default CO2, CH4 and N2O per TJ; coal mine methane; clinker; aluminium',
    ],
    [
      'EMEP',
      'EMEP/EEA air pollutant emission inventory guidebook 2019',
      'European Environment Agency (2019). EEA Report 13/2019.',
      'reuse with acknowledgement',
      'eea.europa.eu: chapters 1.A.1, 1.A.2 and 2.A.1',
      'SO2, NOx, PM2.5 and mercury of power stations and cement kilns',
    ],
    [
      'RECIPE',
      'ReCiPe 2016 v1.1, hierarchist perspective',
      'Huijbregts M.A.J. et al. (2017). RIVM Report 2016-0104a.',
      'reproduction with acknowledgement',
      'rivm.nl: tables of midpoint and endpoint factors',
      'from a pressure to species.yr; warming potentials of methane and nitrous oxide',
    ],
    [
      'MACKNICK',
      'A Review of Operational Water Consumption and Withdrawal Factors for Electricity Generating Technologies',
      'Macknick J., Newmark R., Heath G. and Hallett K.C. (2011). NREL/TP-6A20-50900.',
      FACTS,
      'nrel.gov: table 1, medians, cooling towers',
      'water consumed per MWh',
    ],
    [
      'FRITSCHE',
      'Energy and Land Use',
      'Fritsche U.R. et al. (2017). Working paper for the Global Land Outlook, UNCCD and IRENA.',
      FACTS,
      'unccd.int: table of typical land use per MWh',
      'land taken by power and its fuels',
    ],
    [
      'AR5',
      'Climate Change 2014: Mitigation, and Climate Change 2013: The Physical Science Basis',
      'IPCC (2013, 2014). Fifth Assessment Report, working groups I and III.',
      FACTS,
      'ipcc.ch: working group III table A.III.2; working group I table 8.A.1',
      'life-cycle medians of power without fuel; warming potentials of CF4 and C2F6',
    ],
    [
      'JEC',
      'JEC Well-to-Wheels analysis, Well-to-Tank report version 4a',
      'Edwards R. et al. (2014). European Commission, Joint Research Centre.',
      'reuse with acknowledgement',
      'publications.jrc.ec.europa.eu: pathway of crude oil to diesel',
      'greenhouse gases of gas oil before it is burnt',
    ],
    [
      'GNR',
      'Getting the Numbers Right: cement industry energy and emissions data',
      'Global Cement and Concrete Association, GNR project.',
      FACTS,
      'gccassociation.org: world averages, rounded',
      'heat and electricity of cement',
    ],
    [
      'NORTHEY',
      'Using sustainability reporting to assess the environmental footprint of copper mining',
      'Northey S., Haque N. and Mudd G. (2013). Journal of Cleaner Production 40, 118-128.',
      FACTS,
      'abstract: averages of energy and water per tonne of copper',
      'energy and water of copper',
    ],
    [
      'IAI',
      'Primary aluminium smelting energy intensity',
      'International Aluminium Institute, statistics.',
      FACTS,
      'international-aluminium.org: world average, rounded',
      'electricity of aluminium',
    ],
    [
      'FDM',
      'Best available techniques conclusions for the food, drink and milk industries',
      'Commission Implementing Decision (EU) 2019/2031.',
      'law of the European Union, reusable',
      'eur-lex.europa.eu: dairies, middle of the ranges',
      'waste water, phosphorus and electricity of dairies',
    ],
    [
      'FAO2010',
      'Greenhouse Gas Emissions from the Dairy Sector',
      'FAO (2010). A Life Cycle Assessment. Rome.',
      FACTS,
      'fao.org: world average per kg of milk',
      'greenhouse gases of raw milk',
    ],
    [
      'POORE',
      'Reducing food\u2019s environmental impacts through producers and consumers',
      'Poore J. and Nemecek T. (2018). Science 360, 987-992.',
      FACTS,
      'means per kg or litre; greenhouse gases of the farm and of land-use change alone',
      'land of milk; greenhouse gases of cane sugar and wheat',
    ],
    [
      'FAOSTAT',
      'FAOSTAT, crops and livestock products',
      'FAO. FAOSTAT statistical database.',
      'CC BY 4.0',
      'fao.org/faostat: world yields of recent years, rounded',
      'yields of wheat and sugar cane',
    ],
    [
      'WFN',
      'The green, blue and grey water footprint of crops and of farm animals',
      'Mekonnen M.M. and Hoekstra A.Y. (2010, 2011). UNESCO-IHE Value of Water Reports 47 and 48.',
      FACTS,
      'waterfootprint.org: world averages, blue water',
      'water of crops and milk',
    ],
    [
      'NONE',
      'No factor used',
      'Left empty on purpose.',
      'none',
      'nowhere',
      'indicators without characterisation',
    ],
  ]

/** The table of sources. */
export function sourceSheets(): Sheet[] {
  return [sheet('sources', 'source_id title citation licence where_taken use', SOURCES)]
}
