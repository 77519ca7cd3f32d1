import { createHash } from 'node:crypto'
import { drawing } from '../../../attacks/harness/random.mjs'
import { said, send } from '../../datasets/proofs/client.mjs'

/** The model that learns, and its optimizer. */
export const CARD = { vocab_size: 301, embedding_dim: 64, max_position_embeddings: 64 }
export const OPTIMIZER = { type: 'adamw', lr: 0.01, amsgrad: true }

/** The admin key that the services here have: `ADMIN_KEY`. */
export const KEY = 'a-key-for-the-proof'

const asAdmin = (port, path, { headers, ...more }) =>
  send(port, path, { headers: { ...headers, authorization: `Bearer ${KEY}` }, ...more })

const json = (value) => ({ headers: { 'Content-Type': 'application/json' }, body: [JSON.stringify(value)] })

/** A file of tensors: `{ gradients: { dtype: 'F32', shape: [2, 3, 4], bytes } }`. */
export function safetensors(tensors) {
  const header = {}
  let end = 0
  for (const [name, { dtype, shape, bytes }] of Object.entries(tensors)) {
    header[name] = { dtype, shape, data_offsets: [end, end + bytes.length] }
    end += bytes.length
  }
  const text = Buffer.from(JSON.stringify(header).padEnd(8 * Math.ceil(JSON.stringify(header).length / 8)))
  const length = Buffer.alloc(8)
  length.writeBigUInt64LE(BigInt(text.length))
  return Buffer.concat([length, text, ...Object.values(tensors).map(({ bytes }) => bytes)])
}

/** A model that begins to learn. @param id of the model */
export async function begin(port, id, optimizer = OPTIMIZER, card = CARD) {
  const made = await asAdmin(port, `/v1/models/${id}`, { method: 'PUT', ...json(card) })
  const begun = await asAdmin(port, `/v1/models/${id}/optimizer`, { method: 'PUT', ...json(optimizer) })
  if (made.status !== 201 || begun.status !== 201)
    throw new Error(`not begun: ${made.status} ${made.body} ${begun.status} ${begun.body}`)
  return said(begun)
}

/** The `index`-th call of a run, always the same one: gradients, and a step after some of them. */
export function callAt(index, { dim = CARD.embedding_dim, rows = CARD.vocab_size } = {}) {
  if (index % 8 === 7) return { path: 'steps', ...json({ lr: 0.01 / (1 + index / 100), scale: 0.5 }) }
  const draw = drawing(index + 1)
  const [batch, length] = [1 + draw.upTo(32), 1 + draw.upTo(32)]
  const ids = Int32Array.from({ length: batch * length }, () => draw.upTo(rows))
  const gradients = Float32Array.from({ length: batch * length * dim }, () => draw.random() - 0.5)
  const body = safetensors({
    gradients: { dtype: 'F32', shape: [batch, length, dim], bytes: Buffer.from(gradients.buffer) },
    input_ids: { dtype: 'I32', shape: [batch, length], bytes: Buffer.from(ids.buffer) },
  })
  const headers = { 'Content-Type': 'application/vnd.safetensors', 'Content-Length': body.length }
  return { path: `gradients?position_offset=${draw.upTo(32)}`, headers, body: [body] }
}

/** Sends a call under its key. */
export function sendCall(port, id, { path, headers, body }, key) {
  return asAdmin(port, `/v1/models/${id}/${path}`, { headers: { ...headers, 'Idempotency-Key': key }, body })
}

/** Writes a checkpoint to the disk of the service. */
export function saveCheckpoint(port, id) {
  return asAdmin(port, `/v1/models/${id}/checkpoint`, { method: 'POST' })
}

/** SHA-256 of all that a run needs to go on: tables, states, what is pending, steps. Versions after a kill are other ones. */
export async function stateOf(port, id) {
  const { status, body } = await asAdmin(port, `/v1/models/${id}/checkpoint`, { method: 'GET' })
  if (status !== 200) throw new Error(`no checkpoint: ${status} ${body}`)
  const end = 8 + Number(body.readBigUInt64LE(0))
  const header = body
    .toString('utf8', 8, end)
    .trim()
    .replace(/"model_version":"\d+"/, '')
  return createHash('sha256').update(header).update(body.subarray(end)).digest('hex')
}
