import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import * as library from '../../src/index.js'

/** What the package exports that is no type, and the file that has it. */
const exported = [...readFileSync('src/index.ts', 'utf8').matchAll(/export \{([^}]*)\} from '\.(.*)\.js'/g)]
  .flatMap(([, names, file]) => names!.split(',').map((name) => [name.trim(), `src${file}.ts`] as const))
  .filter(([name]) => name !== '' && !name.startsWith('type '))

const folder = mkdtempSync(join(tmpdir(), 'examples-'))
afterAll(() => rmSync(folder, { recursive: true }))
const ids = join(folder, 'train.bin')
writeFileSync(ids, new Uint8Array(8))
const table = join(folder, 'model.safetensors')
const header = JSON.stringify({
  'wte.weight': { dtype: 'F32', shape: [6, 3], data_offsets: [0, 72] },
  'wpe.weight': { dtype: 'F32', shape: [4, 3], data_offsets: [72, 120] },
})
const length = Buffer.alloc(8)
length.writeUInt32LE(header.length)
writeFileSync(table, Buffer.concat([length, Buffer.from(header), Buffer.alloc(120)]))
const files: Readonly<Record<string, string>> = { 'train.bin': ids, 'model.safetensors': table }

test('every value is looked at', () => {
  expect(exported.map(([name]) => name).sort()).toEqual(Object.keys(library).sort())
})

test.each(exported)('the example of %s gives what its comment says', async (name, file) => {
  const source = readFileSync(file, 'utf8')
  const at = source.search(new RegExp(`^export (async )?(function|class) ${name}\\b`, 'm'))
  const comment = source.slice(source.lastIndexOf('/**', at), at)
  const [, example, given] = /`([^`]+)` → `([^`]+)`/.exec(comment) ?? []
  expect(example).toContain(name === 'InletError' ? 'catch' : name)
  const path = (text = '') =>
    text.replace(/'(train\.bin|model\.safetensors)'/, (_, each) => `'${files[each]}'`)
  const scope = { ...library, readFile, rows: new Float32Array(16) }
  const value = (code = '') =>
    new Function(...Object.keys(scope), `return (async () => (${code}))()`)(...Object.values(scope))
  expect(await value(path(example))).toEqual(await value(given))
})
