import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
/** The library's page, then the script on the learner's page. */
const page =
  readFileSync(join(ROOT, 'docs/library.md'), 'utf8') + readFileSync(join(ROOT, 'docs/study.md'), 'utf8')
const examples = [...page.matchAll(/```(?:ts|js)\n(.*?)```/gs)].map(([, code = '']) => code)
const names = examples.map((_, i) => `example-${i + 1}.ts`)

/** A project beside the package, as a user has it. */
let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'library-'))
  mkdirSync(join(folder, 'node_modules/@types'), { recursive: true })
  symlinkSync(ROOT, join(folder, 'node_modules/inlet'))
  symlinkSync(join(ROOT, 'node_modules/@types/node'), join(folder, 'node_modules/@types/node'))
  symlinkSync(join(ROOT, 'node_modules/undici-types'), join(folder, 'node_modules/undici-types'))
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
  for (const [i, code] of examples.entries()) writeFileSync(join(folder, names[i]!), code)
})
afterAll(() => rmSync(folder, { recursive: true }))

const node = (...given: string[]) => execFileSync(process.execPath, given, { cwd: folder, encoding: 'utf8' })

describe('docs/library.md', () => {
  it('has examples that compile under --strict and run', () => {
    expect(examples.length).toBeGreaterThan(4)
    const tsc = createRequire(import.meta.url).resolve('typescript/bin/tsc')
    const flags = ['--strict', '--module', 'nodenext', '--target', 'es2023', '--outDir', 'out']
    node(tsc, ...flags, '--preserveSymlinks', ...names)
    const outputs = names.map((name) => node(join('out', name.replace('.ts', '.js'))))
    expect(outputs[1]).toContain("5 [ 'input_ids [2, 3]', 'input_embeddings [2, 3, 3]' ]")
    expect(outputs.at(-2)).toBe('no_windows context_length\n')
    expect(outputs.at(-1)).toBe('[ 7, 4, 256 ]\n')
  })
})

describe('the library', () => {
  it('loads neither Fastify, zod nor pino', () => {
    const files = new Set<string>()
    const visit = (name: string) => {
      if (files.has(name)) return
      files.add(name)
      const code = readFileSync(join(ROOT, 'dist', name), 'utf8')
      for (const [, path] of code.matchAll(/^import [^;]*?"\.\/([^"]+)";$/gm)) visit(path!)
      for (const [, path] of code.matchAll(/^import "\.\/([^"]+)";$/gm)) visit(path!)
      expect(code, name).not.toMatch(/node_modules\/(fastify|zod|pino)\//)
    }
    visit('index.js')
    expect(files.size).toBeGreaterThan(2)
  })
})
