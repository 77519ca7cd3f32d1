import { execFileSync } from 'node:child_process'
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
/** The library's page, then the scripts on other pages. */
const page = ['library', 'study', 'train-tokenizer']
  .map((name) => readFileSync(join(ROOT, `docs/${name}.md`), 'utf8'))
  .join('')
const examples = [...page.matchAll(/```(?:ts|js)\n(.*?)```/gs)].map(([, code = '']) => code)
const names = examples.map((_, i) => `example-${i + 1}.ts`)

/** A project beside the package, as a user has it. */
let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'library-'))
  mkdirSync(join(folder, 'node_modules/@types'), { recursive: true })
  symlinkSync(ROOT, join(folder, 'node_modules/inlet-lm'))
  symlinkSync(join(ROOT, 'node_modules/@types/node'), join(folder, 'node_modules/@types/node'))
  symlinkSync(join(ROOT, 'node_modules/undici-types'), join(folder, 'node_modules/undici-types'))
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
  for (const [i, code] of examples.entries()) writeFileSync(join(folder, names[i]!), code)
})
afterAll(() => rmSync(folder, { recursive: true }))

/** Compiles the examples. @returns what is wrong with them, or with the package's types */
function compiled(): string[] {
  const program = ts.createProgram(
    names.map((name) => join(folder, name)),
    {
      ...{ strict: true, target: ts.ScriptTarget.ES2023, lib: ['lib.es2023.d.ts'], preserveSymlinks: true },
      ...{ module: ts.ModuleKind.NodeNext, outDir: join(folder, 'out'), rootDir: folder },
    },
  )
  // TypeScript's own libraries and Node's types take most of the time.
  const files = program.getSourceFiles().filter(({ fileName }) => !/typescript|@types/.test(fileName))
  expect(files.length).toBeGreaterThan(names.length)
  const faults = [...program.getOptionsDiagnostics(), ...program.getGlobalDiagnostics()]
  for (const file of files) {
    faults.push(...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file))
    program.emit(file)
  }
  return faults.map(({ file, messageText }) => `${file?.fileName}: ${JSON.stringify(messageText)}`)
}

describe('docs/library.md', () => {
  it('has examples that compile under --strict and run', () => {
    expect(examples.length).toBeGreaterThan(4)
    expect(compiled()).toEqual([])
    const runs = names.map((name) => `await import('./out/${name.replace('.ts', '.js')}')`)
    writeFileSync(join(folder, 'all.js'), runs.join("\nconsole.log('---')\n"))
    const shown = execFileSync(process.execPath, ['all.js'], { cwd: folder, encoding: 'utf8' })
    const outputs = shown.split('---\n')
    expect(outputs[1]).toContain("5 [ 'input_ids [2, 3]', 'input_embeddings [2, 3, 3]' ]")
    expect(outputs.at(-3)).toBe('no_windows context_length\n')
    expect(outputs.at(-2)).toBe('[ 7, 4, 256 ]\n')
    expect(outputs.at(-1)).toBe("[ [ 'a', 'b' ] ]\n")
  })
})

describe('the library', () => {
  it('has types that need no package', () => {
    const folder = join(ROOT, 'dist/types')
    const files = readdirSync(folder, { recursive: true }).map(String)
    const texts = files
      .filter((name) => name.endsWith('.d.ts'))
      .map((name) => readFileSync(join(folder, name), 'utf8'))
    const from = texts.flatMap((text) => [...text.matchAll(/from '([^.'][^']*)'/g)].map(([, name]) => name))
    expect(from).toEqual([])
    expect(texts.length).toBeGreaterThan(5)
  })

  it('loads neither Fastify nor pino', () => {
    const files = new Set<string>()
    const visit = (name: string) => {
      if (files.has(name)) return
      files.add(name)
      const code = readFileSync(join(ROOT, 'dist', name), 'utf8')
      for (const [, path] of code.matchAll(/^import [^;]*?"\.\/([^"]+)";$/gm)) visit(path!)
      for (const [, path] of code.matchAll(/^import "\.\/([^"]+)";$/gm)) visit(path!)
      expect(code, name).not.toMatch(/node_modules\/(fastify|pino)\//)
    }
    visit('index.js')
    expect(files.size).toBeGreaterThan(2)
  })
})
