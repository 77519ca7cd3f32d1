import { Agent, request } from 'node:http'

/** The key of an admin, for services that are started with it. */
export const ADMIN_KEY = 'an-admin-of-tests'

/** Calls on kept connections: `client(port, 32)` has so many at most. */
export function client(port, connections) {
  const agent = new Agent({ keepAlive: true, maxSockets: connections })
  const call = (method, path, { headers = {}, body } = {}) =>
    new Promise((resolve, reject) => {
      const options = { port, host: '127.0.0.1', method, path, headers, agent }
      const outgoing = request(options, (answer) => {
        const parts = []
        answer.on('data', (part) => parts.push(part))
        answer.on('error', reject)
        answer.on('end', () => resolve(answerOf(answer, Buffer.concat(parts))))
      })
      outgoing.on('error', reject)
      outgoing.end(body)
    })
  const admin = (method, path, { type, body, headers } = {}) =>
    call(method, path, {
      headers: {
        authorization: `Bearer ${ADMIN_KEY}`,
        ...(type && { 'content-type': type }),
        ...headers,
      },
      body,
    })
  return {
    call,
    make: (id, card) =>
      admin('PUT', `/v1/models/${id}`, { type: 'application/json', body: JSON.stringify(card) }),
    exchange: (id, body, headers) =>
      admin('PUT', `/v1/models/${id}/tables`, { type: 'application/vnd.safetensors', body, headers }),
    tables: (id) => admin('GET', `/v1/models/${id}/tables`),
    remove: (id) => admin('DELETE', `/v1/models/${id}`),
    /** Rows of the token table as float32: [ids.length, C]. */
    rows: (model, ids) =>
      call('POST', '/v1/input-embeddings', {
        headers: { 'content-type': 'application/json', accept: 'application/octet-stream' },
        body: JSON.stringify({
          model,
          input_ids: ids,
          outputs: ['token_embeddings'],
          position_embedding: 'none',
        }),
      }),
    close: () => agent.destroy(),
  }
}

function answerOf({ statusCode: status, headers }, body) {
  const json = () => JSON.parse(body.toString('utf8'))
  const code = status >= 400 ? json().error?.code : undefined
  return { status, code, headers, body, json }
}

/** A safetensors file of one table, `wte.weight` [rows, dim], whose every number is `value`. */
export function constantTable(rows, dim, value) {
  const bytes = 4 * rows * dim
  const tensor = { dtype: 'F32', shape: [rows, dim], data_offsets: [0, bytes] }
  const json = Buffer.from(JSON.stringify({ 'wte.weight': tensor }).padEnd(128))
  const file = Buffer.alloc(8 + json.length + bytes)
  file.writeBigUInt64LE(BigInt(json.length))
  json.copy(file, 8)
  // A copy at a multiple of four: the header's length is one.
  new Float32Array(file.buffer, file.byteOffset + 8 + json.length, rows * dim).fill(value)
  return file
}

/** The numbers of a binary answer. */
export function floatsOf({ body }) {
  return new Float32Array(Uint8Array.from(body).buffer)
}
