import type { Answer } from '../../first-layer/answer.js'
import { countFields } from '../counts.js'

/** The facts that a file has beside its tensors: the model, the counts as decimal strings, and the position scheme's. */
export function fileMetadata(answer: Answer): Readonly<Record<string, string | undefined>> {
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
