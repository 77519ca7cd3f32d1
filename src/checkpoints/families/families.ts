import { closestMatch } from 'leven'
import { CONFIG_FILE, NoTablesError, told } from '../checkpoint-files.js'
import type { ConfigJson } from '../config-json.js'
import { ENCODER_FAMILIES } from './encoder-families.js'
import { alike, type Family } from './family.js'
import { GPT_FAMILIES } from './gpt-families.js'
import { LLAMA_FAMILIES } from './llama-families.js'
import { ropeDefaults, withRopeParameters } from './rope-defaults.js'
import { STATED_FAMILIES } from './stated-families.js'

/** Every family. A new one needs its line in one of these files; the table of docs/model-types.md is written from it. */
export const FAMILIES: readonly Family[] = Object.entries({
  ...GPT_FAMILIES,
  ...LLAMA_FAMILIES,
  ...STATED_FAMILIES,
  ...ENCODER_FAMILIES,
}).map(([modelType, family]) => ({
  ...{ modelType, ...family },
  defaults: { ...ropeDefaults(modelType), ...family.defaults },
  scheme: withRopeParameters(modelType, family.scheme),
}))

const TEXT_ALONE = 'text alone does not give its first block'

/** Families that are refused, and why. */
const REFUSED: Readonly<Record<string, string>> = {
  ...alike('its ids are audio codes', 'musicgen musicgen_melody kyutai_speech_to_text'),
  ...alike('it takes another model’s hidden states', 'gemma4_assistant gemma4_unified_assistant'),
  ...alike(TEXT_ALONE, 'idefics pp_formulanet'),
  voxtral_realtime: 'each row needs audio',
  udop: 'each row needs a box',
  pi0: 'each row needs a robot’s state',
  'vision-encoder-decoder': 'name its decoder’s folder',
  cpmant: 'its first block does not have one row a token',
  'transfo-xl': 'its tables are cut into clusters, and transformers no longer has it',
  mobilebert: 'its rows are made of three neighbours each',
}

/** Families of which some checkpoints have tables of n-grams that transformers does not know, and the fields of these. */
const NGRAM_TYPES = ['longcat_flash', 'deepseek_v4']
const NGRAM_FIELDS = /^(ngram_vocab_size_ratio|emb_neighbor_num|emb_split_num|engram.*)$/

/**
 * The family of a config.json.
 *
 * @throws NoTablesError for a `model_type` that is missing, unknown or refused
 */
export function familyOf(config: ConfigJson): Family {
  const modelType = config.text('model_type')
  if (modelType === undefined) throw new NoTablesError(CONFIG_FILE, '`model_type` is needed')
  const why = whyRefused(modelType, config)
  if (why !== undefined)
    throw new NoTablesError(CONFIG_FILE, `\`model_type\` ${modelType} is not served: ${why}`)
  const family = FAMILIES.find((each) => each.modelType === modelType)
  if (family !== undefined) return family
  const name = modelType.slice(0, 64)
  const types = FAMILIES.map((each) => each.modelType)
  const near = closestMatch(name, types, { maxDistance: NEAR })
  const hint = near === undefined ? '' : ` did you mean ${near}?`
  throw new NoTablesError(
    CONFIG_FILE,
    `\`model_type\` ${told(modelType)} is not served;${hint} docs/model-types.md has those that are`,
  )
}

function whyRefused(modelType: string, config: ConfigJson): string | undefined {
  // A RoCBERT's rows have parts for the shape and the sound of each character, which come beside the ids.
  const isMixed = () => ['enable_shape', 'enable_pronunciation'].some((name) => config.flag(name) ?? true)
  if (modelType === 'roc_bert' && isMixed()) return TEXT_ALONE
  const ngrams = NGRAM_TYPES.includes(modelType) ? config.nameLike(NGRAM_FIELDS) : undefined
  if (ngrams !== undefined) return `\`${ngrams}\` adds rows of n-grams`
  return Object.hasOwn(REFUSED, modelType) ? REFUSED[modelType] : undefined
}

/** Most letters that a name is away from a family's for the family to be meant. */
const NEAR = 2
