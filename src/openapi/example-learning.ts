import type { FastifyInstance } from 'fastify'
import { writeHeader } from '../first-layer/tensors/safetensors/write-header.js'
import { EXAMPLE_KEYS } from './example-keys.js'

const HEAD = { authorization: `Bearer ${EXAMPLE_KEYS.admin}` }

/** Gradients of one row of the example's models, safetensors. */
export function exampleGradients(numbers: readonly number[]): Buffer {
  const header = writeHeader({}, [
    { name: 'gradients', shape: [1, 1, 3], dtype: 'float32' },
    { name: 'input_ids', shape: [1, 1], dtype: 'int32' },
  ])
  const body = Buffer.alloc(16)
  for (const [i, value] of numbers.entries()) body.writeFloatLE(value, 4 * i)
  body.writeInt32LE(2, 12)
  return Buffer.concat([header, body])
}

/** Two models that learn: `fresh`, and `taught`, which has one of two parts. */
export async function beginToLearn(app: FastifyInstance): Promise<void> {
  for (const id of ['taught', 'fresh']) {
    const payload = { type: 'sgd', lr: 0.1 }
    await app.inject({ method: 'PUT', url: `/v1/models/${id}/optimizer`, headers: HEAD, payload })
  }
  const headers = {
    ...HEAD,
    'content-type': 'application/vnd.safetensors',
    'x-sequence': '1',
    'x-part': '1/2',
  }
  const payload = exampleGradients([0.5, -0.25, 0.125])
  await app.inject({ method: 'POST', url: '/v1/models/taught/gradients', headers, payload })
}
