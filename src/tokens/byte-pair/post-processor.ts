import type { Around } from './document-stream.js'
import { type Fields, idAt, isObject, malformed } from './file-field.js'

const NONE: Around = { before: [], behind: [] }

/**
 * The ids that `addSpecialTokens` puts around a text, as transformers does: where tokenizer_config.json says
 * `add_bos_token` or `add_eos_token`, or tokenizer.json has no post-processor, these two decide, and tokenizer.json's
 * post-processor is not asked. Undefined where the post-processor does something else.
 *
 * @param idOf literal → id
 * @throws InletError `model_failed`
 */
export function aroundOf(
  postProcessor: unknown,
  config: Fields | undefined,
  idOf: (literal: string) => number | undefined,
): Around | undefined {
  if (
    config !== undefined &&
    (isGiven(config.add_bos_token) || isGiven(config.add_eos_token) || !isGiven(postProcessor))
  )
    return { before: roleIds(config, 'bos', idOf), behind: roleIds(config, 'eos', idOf) }
  return aroundOfFile(postProcessor)
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null
}

function roleIds(
  config: Fields,
  role: 'bos' | 'eos',
  idOf: (literal: string) => number | undefined,
): number[] {
  if (config[`add_${role}_token`] !== true) return []
  const id = roleId(config, `${role}_token`, idOf)
  if (id !== undefined) return [id]
  const given = config[`${role}_token`]
  throw malformed(
    `${role}_token`,
    `must be a token, since \`add_${role}_token\` is true`,
    given,
    'tokenizer_config.json',
  )
}

/** The id of a token that tokenizer_config.json names: `"eos_token": "</s>"`, or `{ "content": "</s>" }`. */
export function roleId(
  config: Fields,
  field: string,
  idOf: (literal: string) => number | undefined,
): number | undefined {
  const given = config[field]
  const literal = isObject(given) ? given.content : given
  return typeof literal === 'string' ? idOf(literal) : undefined
}

function aroundOfFile(given: unknown): Around | undefined {
  if (given === undefined || given === null) return NONE
  if (!isObject(given)) throw malformed('post_processor', 'must be an object or null', given)
  if (given.type === 'ByteLevel') return NONE
  if (given.type === 'RobertaProcessing' || given.type === 'BertProcessing')
    return { before: [pairId(given, 'cls')], behind: [pairId(given, 'sep')] }
  if (given.type === 'TemplateProcessing') return templateOf(given)
  if (given.type !== 'Sequence' || !Array.isArray(given.processors)) return undefined
  let all: Around | undefined = NONE
  for (const processor of given.processors) {
    const next: Around | undefined = aroundOfFile(processor)
    all = next && all && { before: [...next.before, ...all.before], behind: [...all.behind, ...next.behind] }
  }
  return all
}

/** The id of `"cls": ["<s>", 0]`. */
function pairId(given: Fields, name: string): number {
  const pair = given[name]
  return idAt(Array.isArray(pair) ? pair[1] : undefined, `post_processor.${name}.1`)
}

/** The template for a single text: special tokens, and the text once. */
function templateOf({ single, special_tokens: special }: Fields): Around | undefined {
  if (!Array.isArray(single)) throw malformed('post_processor.single', 'must be a list', single)
  const before: number[] = []
  const behind: number[] = []
  let texts = 0
  for (const piece of single) {
    if (isObject(piece?.Sequence)) texts++
    else if (isObject(piece?.SpecialToken))
      (texts === 0 ? before : behind).push(...tokenIds(special, piece.SpecialToken.id))
    else throw malformed('post_processor.single', 'must hold `Sequence` and `SpecialToken`', piece)
  }
  return texts === 1 ? { before, behind } : undefined
}

function tokenIds(special: unknown, name: unknown): number[] {
  const field = `post_processor.special_tokens.${String(name)}`
  const token = isObject(special) ? special[String(name)] : undefined
  if (!isObject(token) || !Array.isArray(token.ids))
    throw malformed(field, 'must be an object with `ids`', token)
  return token.ids.map((id, i) => idAt(id, `${field}.ids.${i}`))
}
