import type { Model } from '../../first-layer/embeddings/model.js'
import type { Documents } from '../../first-layer/windows/documents.js'
import type { Claim } from '../../load/claim.js'
import { streamOptions } from '../../requests/allowed-special.js'
import { documentOfBytes, documentsOfIds, documentsOfTexts } from '../../requests/token-documents.js'
import type { AskedInference } from './infer-request.js'

/**
 * The documents of an inference request, masked ids included.
 *
 * @throws InletError `token_out_of_range`, `tokenizer_unavailable`, `invalid_request` for an unknown special token
 */
export async function inferenceDocuments(
  model: Model,
  inputs: AskedInference['inputs'],
  given: Parameters<typeof streamOptions>[1],
  claim: Claim,
): Promise<Documents> {
  if ('ids' in inputs) return documentsOfIds(model, inputs.ids, claim)
  const how = streamOptions(model.spec.encoding, given)
  if ('chunks' in inputs) return documentOfBytes(model, inputs.chunks, how, claim)
  return documentsOfTexts(model, inputs.texts, how, claim)
}
