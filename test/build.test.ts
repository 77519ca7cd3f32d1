import './built.js'
import { execFileSync } from 'node:child_process'
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const env = { ...process.env, npm_config_offline: 'true', npm_config_registry: 'http://127.0.0.1:9/' }

function run(cwd: string, file: string, ...args: string[]): string {
  return execFileSync(file, args, { cwd, env, encoding: 'utf8' })
}

test('a build of what is built says so, in one line, and `npx inlet` runs in the checkout', () => {
  expect(run(ROOT, process.execPath, 'build.mjs')).toBe('dist: as new as its sources\n')
  expect(run(ROOT, 'npx', 'inlet', '--version')).toMatch(/^inlet \d/)
})

test('a build makes the parts whose sources have changed, and takes no file of others away', () => {
  const folder = mkdtempSync(join(tmpdir(), 'inlet-build-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  for (const name of ['build.mjs', 'package-lock.json', 'openapi.yaml'])
    copyFileSync(join(ROOT, name), join(folder, name))
  const linked = [
    'src',
    'packages',
    'clients',
    'docs',
    'node_modules',
    'rolldown.config.ts',
    'tsconfig.json',
    'tsconfig.types.json',
  ]
  for (const name of linked) symlinkSync(join(ROOT, name), join(folder, name))
  mkdirSync(join(folder, 'dist'))
  writeFileSync(join(folder, 'dist/theirs'), '')
  const older = () =>
    run(
      folder,
      process.execPath,
      '-p',
      `import('./build.mjs').then((b) => console.log(b.olderParts().join()))`,
    )

  expect(older()).toContain('kernels,tokens,docs,chat,bundle,types\n')
  expect(run(folder, process.execPath, 'build.mjs', 'docs', 'tokens')).toMatch(
    /^dist: making docs …\ndist: making tokens …\ndist: made docs, tokens in \d+ s\n$/,
  )
  expect(older()).toContain('kernels,chat,bundle,types\n')
  const later = new Date(Date.now() + 10_000)
  utimesSync(join(folder, 'openapi.yaml'), later, later)
  expect(older()).toContain('kernels,docs,chat,bundle,types\n')
  expect(readFileSync(join(folder, 'dist/theirs'), 'utf8')).toBe('')
})
