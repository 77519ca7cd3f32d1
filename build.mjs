// Makes dist/, `npm run build`: of its parts those that are older than their sources, or those that are named, as
// `node build.mjs bundle`. A file is replaced in its place: what runs from dist meanwhile finds all others.
import { execFileSync } from 'node:child_process'
import { chmodSync, readdirSync, rmSync, statSync, utimesSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Each part: a file that it writes, of which the time is that of the part, and what the part is made of. */
const PARTS = {
  kernels: ['dist/kernels/tokenize.wasm', ['src/first-layer/kernels/assembly']],
  tokens: [
    'dist/ranks/o200k_base.bin',
    ['src/first-layer/tokens/build.mjs', 'src/first-layer/tokens/unicode/tables'],
  ],
  docs: ['dist/docs/openapi.json', ['openapi.yaml', 'src/features/docs/build.mjs', 'src/features/docs/page']],
  chat: [
    'packages/chat-template/dist/index.js',
    ['packages/chat-template/src', 'packages/chat-template/tsconfig.json'],
  ],
  bundle: ['dist/server.js', ['src', 'packages/chat-template/src', 'clients/typescript/src', 'docs/sample.txt', 'rolldown.config.ts']],
  types: ['dist/types/index.d.ts', ['src', 'tsconfig.json', 'tsconfig.types.json']],
}

const MAKE = {
  kernels: () => import('./src/first-layer/kernels/assembly/build.mjs').then((kernels) => kernels.compileKernels()),
  tokens: () => import('./src/first-layer/tokens/build.mjs'),
  docs: () => import('./src/features/docs/build.mjs'),
  chat: () => execFileSync(process.execPath, ['node_modules/typescript/bin/tsc', '-p', 'packages/chat-template']),
  bundle,
  types: () => import('./src/library/build-types.mjs'),
}

/** The parts that are older than a file that they are made of, or not there. */
export function olderParts() {
  const isOlder = ([made, sources]) => {
    const { mtimeMs } = statSync(made, { throwIfNoEntry: false }) ?? { mtimeMs: Number.NEGATIVE_INFINITY }
    return [...sources, 'build.mjs', 'package-lock.json'].some((source) => changedAt(source) > mtimeMs)
  }
  return Object.keys(PARTS).filter((part) => isOlder(PARTS[part]))
}

/** A folder changes with each file that comes into it, or goes. */
function changedAt(path) {
  const stat = statSync(path)
  if (!stat.isDirectory()) return stat.mtimeMs
  return Math.max(stat.mtimeMs, ...readdirSync(path).map((name) => changedAt(join(path, name))))
}

async function bundle() {
  const [{ build }, { loadConfig }] = await Promise.all([import('rolldown'), import('rolldown/config')])
  for (const options of await loadConfig('rolldown.config.ts')) {
    const { output } = await build(options)
    const { dir } = options.output
    const written = new Set(output.map(({ fileName }) => basename(fileName)))
    // Those of an earlier build, whose names hold what they are of.
    for (const name of readdirSync(dir))
      if (/^chunk-|-[\w-]{8}\.\w+$/.test(name) && !written.has(name)) rmSync(join(dir, name))
  }
  chmodSync('dist/cli/main.js', 0o755) // `npx inlet` in the checkout runs the file itself
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  process.chdir(import.meta.dirname)
  const began = new Date()
  const parts = process.argv.length > 2 ? process.argv.slice(2) : olderParts()
  for (const part of parts) {
    console.log(`dist: making ${part} …`)
    await MAKE[part]()
    // A source that has changed since then is newer than the part.
    utimesSync(PARTS[part][0], began, began)
  }
  const seconds = Math.round((Date.now() - began.getTime()) / 1000)
  console.log(parts.length ? `dist: made ${parts.join(', ')} in ${seconds} s` : 'dist: as new as its sources')
}
