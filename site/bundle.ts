import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Plugin, RolldownOptions } from 'rolldown'
import { MODEL_TYPES } from '../src/checkpoints/model-types.js'
import { explorer, licences } from '../src/features/explorer/page/bundle/config.js'

const SRC = join(import.meta.dirname, '../src')

/** The files of the first layer that a browser has others for. */
export const REPLACED = ['package-file.ts', 'kernels/shared-memory.ts', 'tokens/unicode/is-utf8.ts']

/** Where `npm run build:site` writes, and the files that the worker has in it: its kernels are those for one thread. */
const SITE = 'dist/site'
const ONE_THREAD = ['model', 'normal']
const FILES = [
  ...ONE_THREAD.map((name) => [`kernels/${name}.wasm`, `build/site/${name}.wasm`]),
  ['kernels/tokenize.wasm', 'dist/kernels/tokenize.wasm'],
  ['unicode/categories.leb128', 'dist/unicode/categories.leb128'],
]

const host: Plugin = {
  name: 'host',
  load(id) {
    if (REPLACED.some((file) => id === join(SRC, 'first-layer', file)))
      return `export * from ${JSON.stringify(join(SRC, 'features/explorer/site/host.ts'))}`
    if (id.endsWith('/site/files.ts'))
      return `export const FILES = ${JSON.stringify(
        Object.fromEntries(FILES.map(([name, path]) => [name, readFileSync(path, 'base64')])),
      )}`
    if (id.endsWith('/checkpoints/model-types.ts'))
      return `export const MODEL_TYPES = ${JSON.stringify(MODEL_TYPES)}`
    return undefined
  },
}

/** The worker that has the first layer, in one file. */
export const worker: RolldownOptions = {
  input: { worker: 'src/features/explorer/site/worker.ts' },
  platform: 'browser',
  plugins: [licences(), host],
  resolve: {
    mainFields: ['module', 'main'],
    alias: {
      '@tensorflow/tfjs-backend-cpu': '@tensorflow/tfjs-backend-cpu/dist/base.js',
      'inlet-chat-template': join(SRC, '../packages/chat-template/src/index.ts'),
    },
    extensionAlias: { '.js': ['.ts', '.js'] },
  },
  transform: {
    target: 'es2022',
    inject: { Buffer: [join(SRC, 'features/explorer/site/host.ts'), 'Buffer'] },
  },
  output: { dir: SITE, minify: true, codeSplitting: false, entryFileNames: '[name]-[hash].js' },
}

/** The page and the module, which start the worker. @param file its name */
function pages(file: string): RolldownOptions[] {
  const started = (path: string) => ({ ...explorer.transform, define: { WORKER: JSON.stringify(path) } })
  const home: Plugin = {
    name: 'home',
    load: (id) =>
      id.endsWith('/page/home.ts')
        ? `export { home } from ${JSON.stringify(id.replace('home.ts', 'home-site.ts'))}`
        : undefined,
  }
  return [
    {
      ...explorer,
      plugins: [explorer.plugins, home],
      transform: started(`../${file}`),
      output: { ...explorer.output, dir: `${SITE}/explorer` },
    },
    {
      ...explorer,
      input: { inlet: 'src/features/explorer/page/inlet.ts' },
      plugins: [],
      transform: started(`./${file}`),
      output: { dir: SITE, minify: true, entryFileNames: '[name].js' },
    },
  ]
}

export default { worker, pages, SITE, ONE_THREAD }
