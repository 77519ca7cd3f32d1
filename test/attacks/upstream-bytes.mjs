import { randomBytes } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { table } from '../bench/harness/text.mjs'
import { end, flagsOf } from './harness/script.mjs'
import { SERVER, startService } from './harness/service.mjs'

const HELP = `Completions whose ids become rows of 4,096 float32 elements: a few bytes in, 22 KB a token out.

  node test/attacks/upstream-bytes.mjs
  INLET_SERVER=/another/build/dist/server.js node test/attacks/upstream-bytes.mjs

What must hold: no more goes out than MAX_UPSTREAM_BODY_BYTES says, and nothing where the body is longer, or a prompt longer than
the model's positions (8,192). A request is left after some seconds.`

const { most, seconds } = flagsOf(HELP, { most: 256 * 2 ** 20, seconds: 10 })
const [VOCAB, DIM, POSITIONS] = [64, 4096, 8192]

/** A file of safetensors with one tensor of float32. */
function tableFile(name, shape) {
  const bytes = 4 * shape[0] * shape[1]
  const head = Buffer.from(JSON.stringify({ [name]: { dtype: 'F32', shape, data_offsets: [0, bytes] } }))
  const length = Buffer.alloc(8)
  length.writeBigUInt64LE(BigInt(head.length))
  return Buffer.concat([length, head, randomBytes(bytes).map((byte, i) => (i % 4 === 3 ? 0 : byte))])
}

const models = mkdtempSync(join(tmpdir(), 'inlet-upstream-'))
mkdirSync(join(models, 'wide'))
const config = {
  model_type: 'llama',
  vocab_size: VOCAB,
  hidden_size: DIM,
  num_attention_heads: 1,
  dtype: 'float32',
}
writeFileSync(
  join(models, 'wide', 'config.json'),
  JSON.stringify({ ...config, max_position_embeddings: POSITIONS }),
)
writeFileSync(join(models, 'wide', 'model.safetensors'), tableFile('model.embed_tokens.weight', [VOCAB, DIM]))

/** Body bytes that the upstream has got, and the longest `Content-Length` that it was told. */
let [received, told] = [0, 0]
const upstream = createServer((request, response) => {
  told = Math.max(told, Number(request.headers['content-length'] ?? 0))
  request.on('data', (chunk) => (received += chunk.length)).on('error', () => {})
  request.on('end', () => response.setHeader('content-type', 'application/json').end('{"choices":[]}'))
})
await new Promise((resolve) => upstream.listen(0, '127.0.0.1', resolve))

const service = await startService({
  env: {
    ...{ MODELS_DIR: models, UPSTREAM_URL: `http://127.0.0.1:${upstream.address().port}` },
    MAX_UPSTREAM_BODY_BYTES: String(most),
  },
})
const prompts = (count, length) =>
  JSON.stringify({ model: 'wide', prompt: Array(count).fill(Array(length).fill(5)) })
const ATTACKS = {
  'one prompt of 8 MB of ids': JSON.stringify({ model: 'wide', prompt: Array(4_000_000).fill(5) }),
  '500 prompts of 8,000 ids': prompts(500, 8000),
  '2,000 prompts of 100 ids': prompts(2000, 100),
  'a prompt of 100 ids': prompts(1, 100),
}
const seen = []
for (const [name, body] of Object.entries(ATTACKS)) {
  received = told = 0
  const headers = { 'content-type': 'application/json' }
  const request = { method: 'POST', path: '/v1/completions', headers, body, leaveAfterMs: 1000 * seconds }
  const { status, code } = await service.call(request)
  seen.push({ name, bytes: body.length, status: status ?? code, told, received })
}
await service.stop()
rmSync(models, { recursive: true })
upstream.close()
upstream.closeAllConnections()
const shown = (number) => number.toLocaleString('en-US')
const rows = seen.map((each) => [
  ...[each.name, shown(each.bytes), String(each.status), shown(each.told), shown(each.received)],
  `${(each.told / each.bytes).toFixed(0)} ×`,
])
console.log(
  `${SERVER}\n\n${table(['body', 'bytes in', 'answer', 'bytes told upstream', 'sent until left', 'times'], rows)}\n`,
)
const expected = [422, 413, 413, 200]
end(
  seen.flatMap(({ name, status, told: bytes }, i) => [
    ...(status === expected[i] ? [] : [`${name}: ${status}, must be ${expected[i]}`]),
    ...(bytes > most ? [`${name}: ${bytes} bytes upstream`] : []),
  ]),
)
