/** Paths of the page, below where the API is mounted. */
export const PATHS = {
  page: '/explore',
  assets: '/explore/assets/',
} as const
