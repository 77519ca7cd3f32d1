import { closestMatch } from 'leven'
import { CONFIG_FILE, NoTablesError, told } from '../checkpoint-files.js'
import type { ConfigJson } from '../config-json.js'
import { ENCODER_FAMILIES } from './encoder-families.js'
import type { Family } from './family.js'
import { GPT_FAMILIES } from './gpt-families.js'
import { LLAMA_FAMILIES } from './llama-families.js'

/**
 * Every family. A new one needs its line in the file of its kind, its `model_type` in
 * src/first-layer/embeddings/architectures/registry.ts, and a row for its first layer in docs/models.md.
 */
export const FAMILIES: readonly Family[] = Object.entries({
  ...GPT_FAMILIES,
  ...LLAMA_FAMILIES,
  ...ENCODER_FAMILIES,
}).map(([modelType, family]) => ({ modelType, ...family }))

/** Families that are refused, and why. */
const REFUSED: Readonly<Record<string, string>> = {
  'transfo-xl': 'its tables are cut into clusters, and transformers no longer has it',
  mobilebert: 'its rows are made of three neighbours each',
}

/**
 * The family of a config.json.
 *
 * @throws NoTablesError for a `model_type` that is missing, unknown or refused
 */
export function familyOf(config: ConfigJson): Family {
  const modelType = config.text('model_type')
  if (modelType === undefined) throw new NoTablesError(CONFIG_FILE, '`model_type` is needed')
  const family = FAMILIES.find((each) => each.modelType === modelType)
  if (family !== undefined) return family
  const why = Object.hasOwn(REFUSED, modelType) ? REFUSED[modelType] : undefined
  if (why !== undefined)
    throw new NoTablesError(CONFIG_FILE, `\`model_type\` ${modelType} is not served: ${why}`)
  const name = modelType.slice(0, 64)
  const near = closestMatch(name, names(), { maxDistance: NEAR })
  const hint = near === undefined ? '' : ` did you mean ${near}?`
  throw new NoTablesError(
    CONFIG_FILE,
    `\`model_type\` ${told(modelType)} is not served;${hint} docs/models.md has the families that are`,
  )
}

/** Most letters that a name is away from a family's for the family to be meant. */
const NEAR = 2
const names = () => FAMILIES.map((each) => each.modelType)
