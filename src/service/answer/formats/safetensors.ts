import type { Answer } from '../../../first-layer/answer.js'
import { safetensorsFile } from '../../../first-layer/tensors/safetensors/safetensors-file.js'
import { countFields, countHeaders } from '../counts.js'
import type { Format } from './json.js'

/** All tensors in one file, as `safetensors.numpy.load` and its kin read it; the facts are its `__metadata__`. */
export const safetensors: Format = {
  name: 'safetensors',
  mediaTypes: ['application/vnd.safetensors', 'application/x-safetensors'],
  single: false,
  limit: 'MAX_RESPONSE_BYTES',
  encode(answer) {
    const file = safetensorsFile(fileMetadata(answer), answer.tensors)
    return { size: file.bytes, exact: true, headers: countHeaders(answer), body: file.blocks() }
  },
}

/** The facts that a file has beside its tensors: the model, the counts as decimal strings, and the position scheme's. */
function fileMetadata(answer: Answer): Readonly<Record<string, string | undefined>> {
  const counts = countFields(answer.counts).map(([name, value]) => [name, String(value)])
  const { model, modelVersion } = answer
  const facts = Object.entries(answer.facts ?? {}).map(([name, value]) => [name, String(value)])
  return {
    ...Object.fromEntries(facts),
    model,
    model_version: modelVersion,
    ...Object.fromEntries(counts),
    ...answer.metadata,
  }
}
