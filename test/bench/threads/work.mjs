import { readConfig } from '../../../build/config.js'
import { modelSpec } from '../../../build/default-model.js'
import { Model } from '../../../build/embeddings/model.js'
import { inputEmbeddings } from '../../../build/input-embedding.js'
import { planEmbedding } from '../../../build/requests/embedding-plan.js'
import { documentOfText } from '../../../build/requests/token-documents.js'
import { negotiateFormat } from '../../../build/wire/formats/registry.js'
import { embeddingRequest } from '../../../build/wire/schemas/embedding-request.js'

const NONE = new Set()
const { format } = negotiateFormat('application/octet-stream')
const config = readConfig({ TF_BACKEND: 'cpu' })

/** The default model's tables, with room for `threads` threads to work on them. */
export async function makeModel(threads) {
  return Model.create(await modelSpec(config), { threads, backend: 'cpu' })
}

/** The same tables in another thread. */
export async function attachModel(shared, thread) {
  return Model.join(await modelSpec(config), shared, thread)
}

/** A JSON body to the answer's bytes, in an ArrayBuffer of its own: what a pool's worker hands back. */
export async function answer(model, body) {
  const options = embeddingRequest.parse(JSON.parse(body))
  const plan = planEmbedding(model, options, format)
  const documents = await documentOfText(model, options.text, NONE)
  const tensors = await inputEmbeddings(model, documents, plan)
  const bytes = new Uint8Array(format.size(tensors, { encodingFormat: 'float' }))
  let at = 0
  for await (const block of format.encode(tensors, { encodingFormat: 'float' }).body) {
    bytes.set(block, at)
    at += block.byteLength
  }
  return bytes
}
