// Packs folders of transformers' goldens: node test/goldens/families.mjs FOLDERS > test/goldens/families.ndjson.gz
// A line is a folder: its config.json, its tensors with zeros for what no id of the golden reads, and what is expected.
import { readdirSync, readFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'

const [folders] = process.argv.slice(2)
const BYTES = { F32: 4, BF16: 2, F16: 2, I64: 8 }
const rest = /lm_head|output|unembed|proj_out|ngram|per_layer|layers\.|layer\.|vision|audio|qformer/

/** The file's bytes, of which only needed rows are kept: those of the ids, and the first of other tables. */
function packed(file, { table, input_ids: ids }) {
  const length = Number(file.readBigUInt64LE(0))
  const tokens = [table].flat()
  let first = 0
  for (const [name, { dtype, shape, data_offsets }] of Object.entries(
    JSON.parse(file.subarray(8, 8 + length)),
  )) {
    if (name === '__metadata__') continue
    const data = file.subarray(8 + length).subarray(...data_offsets)
    const width = (BYTES[dtype] * shape.slice(1).reduce((a, b) => a * b, 1)) | 0
    const isTokens = tokens.includes(name)
    for (let row = 0; row < (shape[0] ?? 0); row++) {
      const isRead = !/position|type/.test(name) && !isTokens ? true : isTokens ? ids.flat().includes(first + row) : row < 16
      if (rest.test(name) || !isRead) data.fill(0, row * width, (row + 1) * width)
    }
    if (isTokens) first += shape[0]
  }
  return file.toString('base64')
}

/** The rows of the ids in float32, base64. */
function rowsOf(file, table, ids) {
  const length = Number(file.readBigUInt64LE(0))
  const { dtype, shape, data_offsets } = JSON.parse(file.subarray(8, 8 + length))[table] ?? {}
  if (dtype !== 'F32' && dtype !== 'BF16') return undefined
  const data = file.subarray(8 + length).subarray(...data_offsets)
  const width = shape[1] * BYTES[dtype]
  const rows = Buffer.concat(ids.flat().map((id) => data.subarray(id * width, (id + 1) * width)))
  if (dtype === 'F32') return rows.toString('base64')
  const wide = new Uint16Array(rows.length)
  for (let i = 0; i < rows.length / 2; i++) wide[2 * i + 1] = rows.readUInt16LE(2 * i)
  return Buffer.from(wide.buffer).toString('base64')
}

const lines = readdirSync(folders)
  .filter((name) => name !== 'tokenizer-only')
  .map((name) => {
    const { memory: _, made_with: __, left_out: ___, ...expected } = JSON.parse(
      readFileSync(`${folders}/${name}/expected.json`, 'utf8'),
    )
    const config = JSON.parse(readFileSync(`${folders}/${name}/config.json`, 'utf8'))
    // A plain family's rows are in the file already.
    const { inputs_embeds: b, block_input: c, input_ids, table } = expected
    if (b.data_f32 === c.data_f32) delete c.data_f32
    if (b.data_f32 === rowsOf(readFileSync(`${folders}/${name}/model.safetensors`), table, input_ids))
      delete b.data_f32
    const model = packed(readFileSync(`${folders}/${name}/model.safetensors`), expected)
    return `${JSON.stringify({ name, config, model, expected })}\n`
  })
process.stdout.write(gzipSync(lines.join(''), { level: 9 }))
