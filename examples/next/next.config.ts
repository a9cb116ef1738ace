/**
 * Foldgate starts processes from files of its package: they stay outside the bundle, and go into a standalone
 * build.
 */
const config = {
  serverExternalPackages: ['foldgate'],
  outputFileTracingIncludes: {
    '/analytics/**': ['./node_modules/foldgate/dist/**', './node_modules/@duckdb/**'],
  },
}

export default config
