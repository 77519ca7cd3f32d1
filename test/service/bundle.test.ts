import '../built.js'
import { readdirSync, readFileSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { expect, test } from 'vitest'

const DIST = new URL('../../dist/', import.meta.url)

// Each start finds, reads and compiles all imports from packages.
test('the build imports only itself and Node', () => {
  const files = readdirSync(DIST, { recursive: true, encoding: 'utf8' }).filter((file) =>
    /^(?!docs).*\.js$/.test(file),
  )
  expect(files).toEqual(
    expect.arrayContaining(['server.js', 'worker.js', 'make.js', 'learn.js', 'cli/main.js']),
  )
  for (const file of files) {
    const source = readFileSync(new URL(file, DIST), 'utf8')
    const imports = [...source.matchAll(/^(?:import|export) (?:[^'"]*? from )?["']([^'"]+)["']/gm)].map(
      ([, name]) => name,
    )
    const foreign = imports.filter((name) => !name.startsWith('.') && !isBuiltin(name))
    expect([file, foreign]).toEqual([file, []])
  }
})

test('the licences of what is bundled go with it', () => {
  const licences = readFileSync(new URL('LICENSES.txt', DIST), 'utf8')
  for (const name of ['fastify', 'pino', 'prom-client', 'zod', '@tensorflow/tfjs-core']) {
    expect(licences).toMatch(new RegExp(`^== ${name} \\d.*: `, 'm'))
  }
  expect(licences).toContain('Permission is hereby granted')
})
