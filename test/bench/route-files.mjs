// npm run build && npm run build:modules && node test/bench/route-files.mjs
// How much of src one route is made of: the files that its module imports, directly or through others, and the files
// that a small JSON request runs through.
import { existsSync, readFileSync } from 'node:fs'
import { Session } from 'node:inspector/promises'
import { relative, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { pino } from 'pino'

const ROUTE = 'http/routes/input-embeddings.js'
const folder = fileURLToPath(new URL('../..', import.meta.url))
const build = `${folder}build`

/** Compiled modules that a module imports, itself included, without those for types alone. */
function closure(file, found = new Set()) {
  if (found.has(file)) return found
  found.add(file)
  const imports = readFileSync(file, 'utf8').matchAll(/(?:from|^import) '(\.[^']+\.js)'/gm)
  for (const [, path] of imports) closure(resolve(file, '..', path), found)
  return found
}

/** Modules of which a function runs from the request's head to its answer's last byte, after the first few requests. */
async function executed() {
  const imported = (path) => import(pathToFileURL(`${build}/${path}`))
  const { readConfig } = await imported('config.js')
  const { buildApp } = await imported('app.js')
  const { singleThreadModels } = await imported('models/single-thread.js')
  const config = readConfig({ EMBEDDING_DIM: '8', PORT: '0', LOG_LEVEL: 'silent' })
  const models = await singleThreadModels(config)
  const app = await buildApp(config, { logger: pino({ level: 'silent' }), models })
  const address = await app.listen({ port: 0, host: '127.0.0.1' })
  const send = async () => {
    const body = JSON.stringify({ text: 'Hello, world!', context_length: 2 })
    const headers = { 'content-type': 'application/json' }
    const answer = await fetch(`${address}/v1/input-embeddings`, { method: 'POST', headers, body })
    if (answer.status !== 200) throw new Error(await answer.text())
    await answer.arrayBuffer()
  }
  for (let i = 0; i < 5; i++) await send()
  const session = new Session()
  session.connect()
  await session.post('Profiler.enable')
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
  await session.post('Profiler.takePreciseCoverage') // counts from here on
  await send()
  const { result } = await session.post('Profiler.takePreciseCoverage')
  await app.close()
  const ran = result.filter(({ functions }) => functions.some(({ ranges }) => ranges[0].count > 0))
  return ran.map(({ url }) => url).filter((url) => url.startsWith(pathToFileURL(build).href))
}

const files = [...closure(`${build}/${ROUTE}`)]
const lines = files.reduce((sum, file) => {
  const source = file.replace(build, `${folder}src`).replace(/\.js$/, '.ts')
  return sum + (existsSync(source) ? readFileSync(source, 'utf8').split('\n').length : 0)
}, 0)
console.log(`imported by ${ROUTE}: ${files.length} files, ${lines} lines`)
const ran = (await executed()).map((url) => relative(build, fileURLToPath(url))).toSorted()
console.log(`run by a small request: ${ran.length} files\n  ${ran.join('\n  ')}`)
process.exit(0)
