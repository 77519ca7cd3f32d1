import { expect, test } from 'vitest'
import { drive } from '../../../src/load/drive.js'
import { readJson } from '../../../src/wire/json/read-json.js'
import { CountingClaim } from '../../counting-claim.js'

test('many short members are read in turns, between which the caller is asked after', async () => {
  const members = Array.from({ length: 250 }, (_, i) => `"m${i}":"${'x'.repeat(30_000)}"`)
  const claim = new CountingClaim()
  const value = await drive(claim, readJson(Buffer.from(`{${members}}`), new Map(), 1))
  expect(Object.keys(value as object)).toHaveLength(250)
  expect(claim.asked).toBeGreaterThan(0)
})
