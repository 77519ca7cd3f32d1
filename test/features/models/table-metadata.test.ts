import { expect, test } from 'vitest'
import { AUTHORIZATION, managedService } from '../../managed.js'

test.each([
  ['gpt2', 'learned_absolute', { encoding: 'gpt2', architecture: 'gpt2' }],
  ['cl100k_base', { type: 'rope', head_dim: 4 }, { encoding: 'cl100k_base', architecture: 'llama' }],
])(
  'the file of a model’s tables names its encoding and architecture (%s)',
  async (encoding, position, said) => {
    const service = await managedService({ MAX_TABLE_BYTES: String(2 ** 26) })
    const architecture = said.architecture
    const payload = { embedding_dim: 4, vocab_size: 64, encoding, architecture, position_embedding: position }
    const url = '/v1/models/made'
    const made = await service.app.inject({ method: 'PUT', url, headers: AUTHORIZATION, payload })
    expect(made.statusCode).toBe(201)
    const { rawPayload } = await service.app.inject({ url: `${url}/tables`, headers: AUTHORIZATION })
    const header = rawPayload.toString('utf8', 8, 8 + Number(rawPayload.readBigUInt64LE(0)))
    expect(JSON.parse(header).__metadata__).toMatchObject(said)
    await service.close()
  },
)
