import { runBlocks } from '../../../src/first-layer/steps.js'
import { safetensorsFile } from '../../../src/first-layer/tensors/safetensors/safetensors-file.js'
import type { JournalCall } from '../../../src/learning/journal.js'
import type { Replay } from '../../../src/learning/journals.js'

/** In place of a learner: every call that it was given, as JSON. */
export type ListLearner = string[]

export const CARD = { id: 'a/b', seed: '123', sizes: [6, 3] }

export function callAt(sequence: number, bytes = 10 + ((sequence * 7) % 23)): JournalCall {
  const isStep = sequence % 3 === 0
  return {
    kind: isStep ? 'step' : 'gradients',
    writer: `writer-${sequence % 2}`,
    sequence,
    digest: sequence.toString(16).padStart(64, '0'),
    ...(sequence % 5 === 1 ? { part: { index: 1, count: 2 } } : {}),
    options: isStep ? { lr: 0.1 / sequence } : { position_offset: sequence },
    body: isStep ? new Uint8Array(0) : Uint8Array.from({ length: bytes }, (_, i) => (i * sequence) & 255),
  }
}

export function textOf(call: JournalCall): string {
  return JSON.stringify({ ...call, body: Buffer.from(call.body).toString('hex') })
}

export function checkpointOf(learner: ListLearner): Iterable<Uint8Array> {
  return runBlocks(safetensorsFile({ calls: JSON.stringify(learner) }, []).blocks())
}

export const replay: Replay<ListLearner> = {
  restore: ({ header }) => JSON.parse(header.metadata.calls),
  again: (learner, call) => void learner.push(textOf(call)),
}
