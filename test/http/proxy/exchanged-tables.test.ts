import { expect, test } from 'vitest'
import { readTorchFile } from '../../torch-file.js'
import { tableFile } from '../models/table-files.js'
import { Proxied, ROWS } from './proxied.js'

test('a completion after an exchange of tables has the new rows, with their own CRC', async () => {
  const proxied = await Proxied.start({ DEFAULT_MODEL: 'llama', ADMIN_KEY: 'admin-s3cret' })
  try {
    const rowsOf = async (prompt: readonly number[]) => {
      await proxied.post('/v1/completions', { prompt })
      const { prompt_embeds } = JSON.parse(proxied.upstream.received.at(-1)!.body)
      const { bytes } = readTorchFile(Buffer.from(prompt_embeds, 'base64'))
      return [...new Float32Array(new Uint8Array(bytes).buffer)]
    }
    const rowsIn = (table: Float32Array, ids: readonly number[]) =>
      ids.flatMap((id) => [...table.subarray(4 * id, 4 * id + 4)])
    expect(await rowsOf([5, 6, 5, 7])).toEqual(rowsIn(ROWS, [5, 6, 5, 7]))
    expect(await rowsOf([7, 8, 5])).toEqual(rowsIn(ROWS, [7, 8, 5]))

    const doubled = ROWS.map((x) => 2 * x)
    const answer = await fetch(`${proxied.url}/v1/models/llama/tables`, {
      method: 'PUT',
      body: tableFile({ 'wte.weight': { shape: [ROWS.length / 4, 4], numbers: [...doubled] } }),
      headers: { authorization: 'Bearer admin-s3cret', 'content-type': 'application/vnd.safetensors' },
    })
    expect(await answer.json()).toEqual({ model: 'llama', model_version: '2' })
    expect(await rowsOf([8, 9, 5, 7])).toEqual(rowsIn(doubled, [8, 9, 5, 7]))
  } finally {
    await proxied.close()
  }
})
