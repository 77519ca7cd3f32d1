import { InletError } from '../errors.js'
import type { ModelSpec } from '../first-layer/embeddings/model.js'
import { widened } from '../first-layer/embeddings/widened.js'
import type { Workspace } from '../first-layer/embeddings/workspace.js'
import { type Blocks, PAUSE } from '../first-layer/steps.js'
import {
  type FloatDtype,
  type FloatTensor,
  ITEM_BYTES,
  type NamedTensor,
} from '../first-layer/tensors/named-tensor.js'
import type { SoftPrompt } from '../models/soft-prompt.js'
import type { PromptTarget } from '../wire/schemas/prompt-embeds.js'
import { ENCODER_DECODERS, PLAIN_ROWS } from './prompt-families.js'

/** Bytes that go at a time. */
const BLOCK_BYTES = 3 << 17
/** Numbers that are cast at a time. */
const CAST_AT_ONCE = 1 << 14

/** A soft prompt's rows [n, C] as PEFT's file has them. */
export function softPromptTensor(prompt: SoftPrompt): NamedTensor {
  const { rows, embeddingDim, dtype } = prompt
  const blocks = () => storedBlocks(prompt)
  return { name: 'prompt_embeddings', dtype, shape: [rows, embeddingDim], blocks }
}

/**
 * A soft prompt's rows, then a text's: [n + T, C], as PEFT's `generate` puts them. The rows are cast to the tensor's type,
 * rounded to nearest even (`prompts.to(inputs_embeds.dtype)`), and nothing else is done to them.
 *
 * Source: huggingface/peft, `PeftModelForCausalLM.prepare_inputs_for_generation`.
 */
export function withSoftPrompt(prompt: SoftPrompt, rows: FloatTensor, workspace: Workspace): FloatTensor {
  const { name, dtype, prepare } = rows
  const [T, embeddingDim] = rows.shape
  const shape = [prompt.rows + T, embeddingDim]
  return {
    ...{ name, dtype, shape, prepare },
    *blocks() {
      yield* softPromptBlocks(prompt, dtype, workspace)
      yield* rows.blocks()
    },
  }
}

/** A soft prompt's numbers as `dtype`. A block is good until the next one is asked for. */
export function softPromptBlocks(prompt: SoftPrompt, dtype: FloatDtype, workspace: Workspace): Blocks {
  return prompt.dtype === dtype ? storedBlocks(prompt) : castBlocks(prompt, dtype, workspace)
}

/**
 * Checks that rows may stand before a text's, as they do under PEFT.
 *
 * @param field the request's field that names the soft prompt
 * @throws InletError `unsupported_combination` where the target multiplies all rows that it gets, or has two inputs
 */
export function checkSoftPrompt({ id, architecture }: ModelSpec, target: PromptTarget, field: string): void {
  const { name } = architecture
  const refuse = (why: string) => {
    throw new InletError('unsupported_combination', `\`${field}\` cannot be used for ${id}: ${why}.`, field)
  }
  if (PLAIN_ROWS[target].includes(name)) refuse(`${target} multiplies all rows of ${name}, these too`)
  if (ENCODER_DECODERS.includes(name)) refuse(`${name} has an encoder and a decoder, whose rows one file has`)
}

function* storedBlocks({ numbers }: SoftPrompt): Blocks {
  for (let from = 0; from < numbers.byteLength; from += BLOCK_BYTES) {
    yield PAUSE
    yield new Uint8Array(numbers, from, Math.min(BLOCK_BYTES, numbers.byteLength - from))
  }
}

function* castBlocks(
  { numbers, dtype: stored }: SoftPrompt,
  dtype: FloatDtype,
  workspace: Workspace,
): Blocks {
  const count = numbers.byteLength / ITEM_BYTES[stored]
  const atOnce = Math.min(CAST_AT_ONCE, workspace.rows.length)
  const out = new Uint8Array(atOnce * ITEM_BYTES[dtype])
  for (let first = 0; first < count; first += atOnce) {
    yield PAUSE
    const length = Math.min(atOnce, count - first)
    const from = first * ITEM_BYTES[stored]
    const part =
      stored === 'float32' ? new Float32Array(numbers, from, length) : new Uint16Array(numbers, from, length)
    workspace.rows.set(widened(part, stored)) // read again before anything else may use them
    yield workspace.narrowRows(length, dtype, out)
  }
}
