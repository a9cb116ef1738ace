// Bundles app.mjs into a folder per bundler, and prints what each of them reports: { bundler: [message, …] }
import commonjs from '@rollup/plugin-commonjs'
import resolve from '@rollup/plugin-node-resolve'
import { build } from 'esbuild'
import { rollup } from 'rollup'
import * as vite from 'vite'
import webpack from 'webpack'

const names = { entryFileNames: 'app.mjs', chunkFileNames: '[name]-[hash].mjs' }
const told = { esbuild: [], rollup: [], vite: [], webpack: [] }

const { errors, warnings } = await build({
  entryPoints: ['app.mjs'],
  outdir: 'esbuild',
  outExtension: { '.js': '.mjs' },
  bundle: true,
  splitting: true,
  format: 'esm',
  target: 'es2022',
  logLevel: 'silent',
}).catch(failure => failure)
told.esbuild.push(...[...errors, ...warnings].map(({ text }) => text))

const onLog = (_, { message }) => told.rollup.push(message)
const bundle = await rollup({ input: 'app.mjs', plugins: [resolve({ browser: true }), commonjs()], onLog })
await bundle.write({ dir: 'rollup', ...names })

const tell = message => told.vite.push(message)
await vite.build({
  configFile: false,
  logLevel: 'warn',
  customLogger: { ...vite.createLogger('silent'), warn: tell, warnOnce: tell, error: tell },
  build: {
    outDir: 'vite',
    target: 'es2022',
    modulePreload: false,
    rollupOptions: { input: 'app.mjs', output: names },
  },
})

const stats = await new Promise((done, fail) => {
  const settings = {
    mode: 'production',
    context: process.cwd(),
    entry: './app.mjs',
    target: ['web', 'es2022'],
    output: { path: `${process.cwd()}/webpack`, module: true, filename: 'app.mjs', chunkFilename: '[id].mjs' },
    experiments: { outputModule: true },
    performance: { hints: false },
  }
  webpack(settings, (failure, ended) => (failure ? fail(failure) : done(ended.toJson())))
})
told.webpack.push(...[...stats.errors, ...stats.warnings].map(({ message }) => message))
console.log(JSON.stringify(told))
