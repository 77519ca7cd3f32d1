import { closestMatch } from 'leven'
import { folderError, told } from '../folder-error.js'
import { CONFIG_FILE } from '../model-files.js'
import { ENCODER_FAMILIES } from './encoder-families.js'
import type { Family } from './family.js'
import { GPT_FAMILIES } from './gpt-families.js'
import { LLAMA_FAMILIES } from './llama-families.js'

/**
 * Every family. A new one needs its line in the file of its kind, its `model_type` in
 * src/first-layer/embeddings/architectures/checkpoints.ts, and a row for its first layer in docs/models.md.
 */
export const FAMILIES: readonly Family[] = Object.entries({
  ...GPT_FAMILIES,
  ...LLAMA_FAMILIES,
  ...ENCODER_FAMILIES,
}).map(([modelType, family]) => ({ modelType, ...family }))

/** Families that are refused, and why. */
const REFUSED: Readonly<Record<string, string>> = {
  gemma3n: 'its blocks take a second input for each layer, looked up by id',
  gemma3n_text: 'its blocks take a second input for each layer, looked up by id',
  gemma4: 'its blocks take a second input for each layer, looked up by id',
  gemma4_text: 'its blocks take a second input for each layer, looked up by id',
  'transfo-xl': 'its tables are cut into clusters, and transformers no longer has it',
  mobilebert: 'its rows are made of three neighbours each',
}

/**
 * The family of a `model_type`.
 *
 * @throws InletError `model_failed` for one that is unknown or refused
 */
export function familyOf(modelType: string): Family {
  const family = FAMILIES.find((each) => each.modelType === modelType)
  if (family !== undefined) return family
  const why = Object.hasOwn(REFUSED, modelType) ? REFUSED[modelType] : undefined
  if (why !== undefined) throw folderError(CONFIG_FILE, `\`model_type\` ${modelType} is not served: ${why}`)
  const nearest = nearestFamily(modelType)
  const hint = nearest === undefined ? '' : ` nearest: ${nearest};`
  throw folderError(
    CONFIG_FILE,
    `\`model_type\` ${told(modelType)} is not served;${hint} docs/models.md has the families`,
  )
}

/** Most letters that differ from the nearest family's name. */
const NEAR = 3

/** `qwen3_5_text` → `qwen3`, its beginning; `lama` → `llama`; undefined where none is near. */
function nearestFamily(modelType: string): string | undefined {
  const names = FAMILIES.map((each) => each.modelType)
  const beginnings = names.filter((name) => modelType.startsWith(name)).sort((a, b) => b.length - a.length)
  return beginnings[0] ?? closestMatch(modelType.slice(0, 64), names, { maxDistance: NEAR })
}
