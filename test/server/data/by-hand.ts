/** Values of the tiny project's folds for one point of view. */
export interface Case {
  /** Shares of the entities in view that have a site. */
  shares: Record<string, number>
  /** Biome, net, gross and number of sites. */
  co2: [biome: string | null, net: number, gross: number, sites: number][]
  /** Loss by climate change, 0.001 per t. */
  species: number
  /** Number of sites, highest score, mean score, the same by share, number of sites with a high score. */
  risk: (number | null)[]
}

/**
 * The folds of the tiny project by entity and ownership view, worked out by hand. Shares of the group: half 0.5, joint
 * 0.5 x 0.4 + 0.3 = 0.5, leaf 0.5 x 0.5 = 0.25, idle 0. CO2 in t: half 20, joint 200, leaf 1500 + 100, idle 14. Scores of
 * risks: half 8, joint 8, leaf 12 and 15, idle 20.
 */
export const BY_HAND: Record<string, Case> = {
  'group net': {
    shares: { half: 0.5, idle: 0, joint: 0.5, leaf: 0.25 },
    co2: [
      ['Desert', 0, 14, 1],
      ['Forest', 10 + 100, 220, 2],
      [null, 400, 1600, 1],
    ],
    species: 0.51,
    risk: [4, 20, 63 / 5, (4 + 4 + 3 + 3.75) / 1.5, 2],
  },
  'group gross': {
    shares: { half: 1, idle: 1, joint: 1, leaf: 1 },
    co2: [
      ['Desert', 14, 14, 1],
      ['Forest', 220, 220, 2],
      [null, 1600, 1600, 1],
    ],
    species: 1.834,
    risk: [4, 20, 63 / 5, 63 / 5, 2],
  },
  'half net': {
    shares: { half: 1, joint: 0.4, leaf: 0.2 },
    co2: [
      ['Forest', 20 + 80, 220, 2],
      [null, 320, 1600, 1],
    ],
    species: 0.42,
    risk: [3, 15, 43 / 4, (8 + 3.2 + 2.4 + 3) / 1.8, 1],
  },
  'joint net': {
    shares: { joint: 1, leaf: 0.5 },
    co2: [
      ['Forest', 200, 200, 1],
      [null, 800, 1600, 1],
    ],
    species: 1,
    risk: [2, 15, 35 / 3, (8 + 6 + 7.5) / 2, 1],
  },
  'joint gross': {
    shares: { joint: 1, leaf: 1 },
    co2: [
      ['Forest', 200, 200, 1],
      [null, 1600, 1600, 1],
    ],
    species: 1.8,
    risk: [2, 15, 35 / 3, 35 / 3, 1],
  },
  'shell net': { shares: { idle: 0 }, co2: [['Desert', 0, 14, 1]], species: 0, risk: [1, 20, 20, null, 1] },
  'idle net': { shares: { idle: 1 }, co2: [['Desert', 14, 14, 1]], species: 0.014, risk: [1, 20, 20, 20, 1] },
}
