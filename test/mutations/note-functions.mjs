import { mkdirSync, writeFileSync } from 'node:fs'
import { Session } from 'node:inspector/promises'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, expect } from 'vitest'
import { noteName } from './note-name.mjs'

// A set-up file of Vitest: writes which functions of src a test file has called, `{ 'src/…ts': [names] }`.

const root = process.cwd()
const session = new Session()
session.connect()
await session.post('Profiler.enable')
await session.post('Profiler.startPreciseCoverage', { callCount: false, detailed: false })

afterAll(async () => {
  const { result } = await session.post('Profiler.takePreciseCoverage')
  const called = {}
  for (const { url, functions } of result) {
    const file = relative(root, url.startsWith('file:') ? fileURLToPath(url) : url)
    if (!file.startsWith('src/')) continue
    called[file] = [...new Set(functions.filter(isCalled).map(nameOf))]
  }
  mkdirSync(process.env.CALLED, { recursive: true })
  const test = relative(root, expect.getState().testPath)
  writeFileSync(join(process.env.CALLED, noteName(test)), JSON.stringify(called))
})

function isCalled({ ranges }) {
  return ranges[0].count > 0
}

function nameOf({ functionName }) {
  return functionName.replace(/^[gs]et /, '')
}
