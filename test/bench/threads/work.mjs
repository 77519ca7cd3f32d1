import { readConfig } from '../../../build/src/config.js'
import { planEmbedding } from '../../../build/src/first-layer/embedding-plan.js'
import { inputEmbeddings } from '../../../build/src/first-layer/input-embedding.js'
import { run, runBlocks } from '../../../build/src/first-layer/steps.js'
import { byteLength } from '../../../build/src/first-layer/tensors/named-tensor.js'
import { tokenizeText } from '../../../build/src/first-layer/tokens/tokenize.js'
import { Documents } from '../../../build/src/first-layer/windows/documents.js'
import { UNBOUNDED } from '../../../build/src/load/claim.js'
import { singleThreadModels } from '../../../build/src/models/single-thread.js'
import { negotiateFormat } from '../../../build/src/wire/formats/registry.js'
import { embeddingRequest } from '../../../build/src/wire/schemas/embedding-request.js'

const NONE = { allowedSpecial: new Set() }
const { format } = negotiateFormat('application/octet-stream')

/** The default model, with tables of its own in each thread that calls this. */
export async function makeModel() {
  const models = await singleThreadModels(readConfig({ TF_BACKEND: 'cpu' }))
  const lease = await models.lease(undefined, UNBOUNDED)
  return lease.model
}

/** A JSON body to the answer's bytes, in an ArrayBuffer of its own, as a worker of a pool hands them back. */
export function answer(model, body) {
  const options = embeddingRequest.parse(JSON.parse(body))
  const plan = planEmbedding(model, options, format)
  const documents = Documents.of(run(tokenizeText(model.spec.tokenizer, options.text, NONE)))
  const [tensor] = run(inputEmbeddings(model, documents, plan)).tensors
  const bytes = new Uint8Array(byteLength(tensor))
  let at = 0
  for (const block of runBlocks(tensor.blocks())) {
    bytes.set(block, at)
    at += block.byteLength
  }
  return bytes
}
