import { expect, test } from 'vitest'
import {
  allocateWorkspace,
  Workspace,
  workspaceBytes,
} from '../../../src/first-layer/embeddings/workspace.js'
import { ModelMemory } from '../../../src/first-layer/kernels/model-memory.js'

const MIB = 2 ** 20
const OUTSIDE = 2 ** 17
const DIM = 300

function workspace(): Workspace {
  const memory = ModelMemory.create(workspaceBytes(DIM) + 64)
  return new Workspace(memory, allocateWorkspace(memory, DIM))
}

test('streams beyond the pool get small new blocks, of whole rows', () => {
  const space = workspace()
  const rows = DIM * 4
  const wanted = Math.floor(MIB / rows) * rows
  const pooled = Array.from({ length: space.freeBlocks }, () => space.lease(wanted, rows))
  for (const { bytes } of pooled) expect(bytes.byteLength).toBe(wanted)
  const outside = space.lease(wanted, rows)
  expect(outside.bytes.byteLength).toBeLessThanOrEqual(OUTSIDE)
  expect(outside.bytes.byteLength % rows).toBe(0)
  expect(space.lease(3 * rows, rows).bytes.byteLength).toBe(3 * rows)
  expect(space.lease(10 * MIB, 2 * MIB).bytes.byteLength).toBe(2 * MIB) // one row that is wider

  outside.release()
  for (const { release } of pooled) release()
  expect(space.lease(wanted, rows).bytes.byteLength).toBe(wanted)
})
