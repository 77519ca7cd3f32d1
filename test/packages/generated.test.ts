import { readFileSync, writeFileSync } from 'node:fs'
import { beforeAll, describe, expect, it } from 'vitest'
import { clientModules } from '../../clients/generate/modules.js'

const PATHS = [
  'clients/python/src/inlet_client/types.py',
  'clients/python/src/inlet_client/operations.py',
  'clients/python/src/inlet_client/async_operations.py',
  'clients/typescript/src/types.ts',
  'clients/typescript/src/operations.ts',
]

describe('the clients', () => {
  let modules: ReadonlyMap<string, string>

  beforeAll(async () => {
    modules = await clientModules()
    // UPDATE_CLIENTS=1 writes them instead of comparing them.
    if (process.env.UPDATE_CLIENTS) for (const [path, text] of modules) writeFileSync(path, text)
  })

  it.each(PATHS)('equal what the generator makes of openapi.yaml (%s)', (path) => {
    expect(readFileSync(path, 'utf8')).toBe(modules.get(path))
  })
})
