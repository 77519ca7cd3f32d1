import { NO_TEMPLATE, type SpecialTemplate } from '../special-template.js'
import { fileError, isObject, type JsonObject, type Place, typeOf } from './fields.js'
import { idOf } from './model-vocabulary.js'

/** Most ids around a document, more than any model has. */
const MAX_TEMPLATE_IDS = 64

/**
 * The ids that the file's post-processor puts around a document; undefined if it does more. `add_bos_token` and
 * `add_eos_token` of tokenizer_config.json say nothing here: transformers (5.23) drops both beside a tokenizer.json.
 */
export function templateOf(postProcessor: unknown, file: string): SpecialTemplate | undefined {
  const place = { file, path: 'post_processor' }
  if (postProcessor === undefined || postProcessor === null) return NO_TEMPLATE
  if (!isObject(postProcessor)) return undefined
  switch (typeOf(postProcessor)) {
    case 'ByteLevel':
      return NO_TEMPLATE
    case 'BertProcessing':
    case 'RobertaProcessing':
      return pairTemplate(postProcessor, place)
    case 'TemplateProcessing':
      return singleTemplate(postProcessor, place)
    case 'Sequence':
      return sequenceTemplate(postProcessor, file)
    default:
      return undefined
  }
}

/** Whether a post-processor trims whitespace from the ranges of tokens, which does not change ids. */
export function trimsOffsets(postProcessor: unknown): boolean {
  if (!isObject(postProcessor)) return false
  const { processors, trim_offsets: trims } = postProcessor
  if (Array.isArray(processors)) return processors.some(trimsOffsets)
  const type = typeOf(postProcessor)
  return (type === 'ByteLevel' || type === 'RobertaProcessing') && trims !== false
}

/** A sequence of post-processors: each puts its ids around those of the ones before. */
function sequenceTemplate({ processors }: JsonObject, file: string): SpecialTemplate | undefined {
  if (!Array.isArray(processors)) return undefined
  let all = NO_TEMPLATE
  for (const processor of processors) {
    const next = templateOf(processor, file)
    if (next === undefined) return undefined
    all = { before: [...next.before, ...all.before], after: [...all.after, ...next.after] }
    if (all.before.length + all.after.length > MAX_TEMPLATE_IDS) return undefined
  }
  return all
}

/** `"cls": ["<s>", 0], "sep": ["</s>", 2]` → 0 before and 2 after the text. */
function pairTemplate(postProcessor: JsonObject, place: Place): SpecialTemplate {
  const idIn = (field: 'cls' | 'sep') => {
    const pair = postProcessor[field]
    if (!Array.isArray(pair) || pair.length !== 2) throw fileError(place, field, 'a token and its id', pair)
    return idOf(pair[1], field, place)
  }
  return { before: [idIn('cls')], after: [idIn('sep')] }
}

function singleTemplate(postProcessor: JsonObject, place: Place): SpecialTemplate | undefined {
  const { single, special_tokens: specialTokens } = postProcessor
  if (!Array.isArray(single)) throw fileError(place, 'single', 'an array', single)
  const before: number[] = []
  const after: number[] = []
  let sequences = 0
  for (const [i, piece] of single.entries()) {
    if (isObject(piece) && isObject(piece.Sequence)) {
      if (piece.Sequence.id !== 'A') return undefined
      sequences++
      continue
    }
    const id = isObject(piece) && isObject(piece.SpecialToken) ? piece.SpecialToken.id : undefined
    const token = isObject(specialTokens) && typeof id === 'string' ? specialTokens[id] : undefined
    if (!isObject(token) || !Array.isArray(token.ids))
      throw fileError(place, `single.${i}`, 'a sequence, or one of `special_tokens`', id)
    const list = sequences === 0 ? before : after
    list.push(...token.ids.slice(0, MAX_TEMPLATE_IDS + 1).map((id) => idOf(id, `single.${i}`, place)))
    if (list.length > MAX_TEMPLATE_IDS) return undefined
  }
  return sequences === 1 ? { before, after } : undefined
}
