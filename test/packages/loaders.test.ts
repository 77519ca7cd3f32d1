import { spawnSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'

const PYTHON = process.env.PYTHON ?? 'python3'
const hasPython = spawnSync(PYTHON, ['--version']).status === 0

describe.skipIf(!hasPython)('batches of the Python client under a loader with workers', () => {
  // `test/clients/loaders.sh` does the same with torch and torchdata themselves.
  it('are those of the bare loop, pass after pass, stopped and resumed', () => {
    const env = { ...process.env, PYTHONPATH: 'clients/python/src:test/packages/standin' }
    const { stdout, stderr } = spawnSync(PYTHON, ['test/packages/standin/loaders.py'], {
      env,
      encoding: 'utf8',
    })
    expect(stdout, stderr).toBe('as the bare loop\n')
  })
})
