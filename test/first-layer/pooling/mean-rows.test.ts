import { beforeAll, expect, test } from 'vitest'
import { selectBackend } from '../../../src/first-layer/embeddings/backends/select.js'
import { meanOfRows, RowSum } from '../../../src/first-layer/pooling/row-sum.js'
import { modelOf } from '../neighbors/table-model.js'

beforeAll(async () => {
  await selectBackend('cpu')
})

test('the mean of rows is NumPy’s: summed in float32 in the order of the ids, divided once', async () => {
  const { model } = modelOf([0.1, 1e8, 0.2, 1, 0.3, -1e8], 2)
  const table = { table: model.tokenTable, workspace: model.workspace }
  const ids = Int32Array.of(0, 1, 2, 2, 0)
  const fill = (out: Int32Array, start: number) => out.set(ids.subarray(start, start + out.length))
  const meanOf = (length: number) => {
    const sum = new RowSum(new Float32Array(2), table)
    for (let at = 0; at < length; at = sum.add({ length, fill }, at));
    return meanOfRows(sum)
  }
  // numpy: np.array([[.1, 1e8], [.2, 1], [.3, -1e8]], 'f4')[[0, 1, 2, 2, 0]].mean(0)
  const f = Math.fround
  const sum = ids.reduce((total, id) => f(total + f([0.1, 0.2, 0.3][id])), 0)
  expect([...meanOf(ids.length)]).toEqual([f(sum / 5), 0])
  expect([...meanOf(0)]).toEqual([0, 0])
  model.dispose()
})
