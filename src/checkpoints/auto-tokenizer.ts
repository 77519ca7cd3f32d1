import { isDeepStrictEqual } from 'node:util'
import type { OtherIds } from '../first-layer/cards/model-card.js'
import { isObject, type JsonObject } from '../first-layer/tokens/tokenizer-file/fields.js'
import { told } from './checkpoint-files.js'
import { CLASS_OF_TYPE, MISNAMED_TYPES, OTHER_CLASSES } from './tokenizer-classes.js'

/** The parsed files of a folder that transformers' AutoTokenizer reads. */
interface AutoTokenizerFiles {
  readonly tokenizer: JsonObject
  readonly config?: JsonObject | undefined
  /** special_tokens_map.json */
  readonly map?: JsonObject | undefined
  readonly added?: JsonObject | undefined
  /** config.json's fields. */
  readonly modelType?: string | undefined
  readonly modelClass?: string | undefined
}

/**
 * Finds where AutoTokenizer deviates from tokenizer.json: parts that the tokenizer class rebuilds, and tokens that
 * other files list.
 *
 * Source: transformers 5.24, `AutoTokenizer.from_pretrained`, `_from_pretrained`, `TokenizersBackend`.
 */
export function otherIds(files: AutoTokenizerFiles): OtherIds {
  const { config = {} } = files
  if (config.split_special_tokens === true)
    return always('tokenizer_config.json: `split_special_tokens` is true')
  if (config.fix_mistral_regex === true) return always('tokenizer_config.json: `fix_mistral_regex` is true')
  const { fast_tokenizer_files: others } = config
  if (Array.isArray(others) && others.some((name) => name !== 'tokenizer.json'))
    return always('tokenizer_config.json: `fast_tokenizer_files` names other files')
  const { field, name } = classOf(files)
  if (name === BACKEND) return tokensOf(files)
  const made = RECIPES[name]?.(config)
  if (made === undefined) return always(`${field} ${told(name)} makes the tokenizer by code that is not here`)
  const part = otherPart(files.tokenizer, made)
  if (part === undefined) return tokensOf(files, made.roles)
  return always(`${field} ${told(name)} makes ${part} anew, otherwise than tokenizer.json`)
}

function always(reason: string): OtherIds {
  return { always: reason, tokens: {} }
}

/** The class that takes every tokenizer.json as it is. */
const BACKEND = 'TokenizersBackend'
/** Other names of it. */
const PLAIN_CLASSES = [BACKEND, 'PreTrainedTokenizer', 'PythonBackend', 'BloomTokenizer', 'ParakeetTokenizer']
const withoutFast = (name: string) => name.replace(/Fast$/, '')

/** The class that AutoTokenizer chooses, and the field that names it. */
function classOf({ tokenizer, config = {}, modelType = '', modelClass }: AutoTokenizerFiles) {
  const named = typeof config.tokenizer_class === 'string' ? config.tokenizer_class : modelClass
  const ofType = CLASS_OF_TYPE.get(modelType)
  const byType = { field: `config.json: \`model_type\` ${told(modelType)}, whose`, name: ofType ?? BACKEND }
  const isMisnamed = MISNAMED_TYPES.has(modelType)
  const hasCode = hasRemoteCode(config)
  if (hasCode && !isMisnamed && ofType === undefined && !isKnown(named))
    return { field: 'tokenizer_config.json: `auto_map`, beside which', name: named ?? 'no class' }
  if (named === undefined) return byType
  const name = withoutFast(named)
  if (!hasCode) {
    if (name === 'LlamaTokenizer' && !isMisnamed && hasByteLevel(tokenizer))
      return { ...byType, name: BACKEND }
    if (ofType !== undefined && ofType !== name && (ofType === BACKEND || isMisnamed)) return byType
  }
  const isMade = isKnown(named) && !PLAIN_CLASSES.includes(name)
  return { field: 'tokenizer_config.json: `tokenizer_class`', name: isMade ? name : BACKEND }
}

function hasRemoteCode({ auto_map: map }: JsonObject): boolean {
  return Array.isArray(map) || (isObject(map) && (map.AutoTokenizer ?? null) !== null)
}

function isKnown(named: string | undefined): boolean {
  const name = withoutFast(named ?? '')
  return Object.hasOwn(RECIPES, name) || OTHER_CLASSES.has(name) || PLAIN_CLASSES.includes(name)
}

function hasByteLevel({ pre_tokenizer: pre, decoder }: JsonObject): boolean {
  const has = (part: unknown): boolean =>
    isObject(part) &&
    (part.type === 'ByteLevel' ||
      [part.pretokenizers, part.decoders].some((parts) => Array.isArray(parts) && parts.some(has)))
  return has(pre) || has(decoder)
}

/** The parts that a class rebuilds, in tokenizer.json's form, and its default tokens. */
interface Made {
  readonly normalizer: unknown
  readonly preTokenizer: unknown
  readonly model: JsonObject
  readonly roles: Readonly<Record<string, string>>
}

const BPE = { type: 'BPE', unk_token: null, fuse_unk: false, byte_fallback: false }
const SENTENCE_PIECE = { ...BPE, fuse_unk: true, byte_fallback: true }
const SENTENCE_ROLES = { unk_token: '<unk>', bos_token: '<s>', eos_token: '</s>' }
const END_OF_TEXT = { unk_token: '<|endoftext|>', eos_token: '<|endoftext|>' }

const metaspace = (scheme: string) => {
  return { type: 'Metaspace', replacement: '▁', prepend_scheme: scheme, split: false }
}
const NFC = { type: 'NFC' }

/** Byte-level BPE. @param before a part that cuts the text first */
const byteLevel =
  (normalizer: unknown, roles: Made['roles'], before?: object, usesRegex = true) =>
  ({ add_prefix_space: blank }: JsonObject): Made => {
    const bytes = { type: 'ByteLevel', add_prefix_space: blank === true, use_regex: usesRegex }
    const preTokenizer = before ? { type: 'Sequence', pretokenizers: [before, bytes] } : bytes
    return { normalizer, preTokenizer, model: BPE, roles }
  }

const qwen = (letter: string, other: string) => {
  const expression = `(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{L}\\p{N}]?${letter}+|\\p{N}| ?[^\\s${other}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+`
  const split = { type: 'Split', pattern: { Regex: expression }, behavior: 'Isolated', invert: false }
  return byteLevel(NFC, { ...END_OF_TEXT, pad_token: '<|endoftext|>' }, split, false)
}

/** How each class builds its parts from tokenizer_config.json. */
const RECIPES: Readonly<Record<string, (config: JsonObject) => Made>> = {
  LlamaTokenizer: ({ add_prefix_space: blank, legacy }) => ({
    normalizer: null,
    preTokenizer: metaspace(blank === false ? 'never' : legacy === true ? 'always' : 'first'),
    model: SENTENCE_PIECE,
    roles: SENTENCE_ROLES,
  }),
  CodeLlamaTokenizer: ({ add_prefix_space: blank, unk_token: unknown = '<unk>' }) => ({
    normalizer: null,
    preTokenizer: metaspace(blank === false ? 'never' : 'first'),
    model: { ...SENTENCE_PIECE, unk_token: literalOf(unknown) ?? null },
    roles: {
      ...SENTENCE_ROLES,
      ...{ prefix_token: '▁<PRE>', middle_token: '▁<MID>', suffix_token: '▁<SUF>' },
      ...{ eot_token: '▁<EOT>', fill_token: '<FILL_ME>' },
    },
  }),
  GemmaTokenizer: ({ unk_token: unknown = '<unk>' }) => ({
    normalizer: { type: 'Replace', pattern: { String: ' ' }, content: '▁' },
    preTokenizer: { type: 'Split', pattern: { String: ' ' }, behavior: 'MergedWithPrevious', invert: false },
    model: { ...SENTENCE_PIECE, unk_token: literalOf(unknown) ?? null },
    roles: {
      ...{ unk_token: '<unk>', bos_token: '<bos>', eos_token: '<eos>' },
      ...{ pad_token: '<pad>', mask_token: '<mask>' },
    },
  }),
  GPT2Tokenizer: byteLevel(null, { ...END_OF_TEXT, bos_token: '<|endoftext|>' }),
  GPTNeoXTokenizer: byteLevel(NFC, { ...END_OF_TEXT, bos_token: '<|endoftext|>', pad_token: '<|padding|>' }),
  Qwen2Tokenizer: qwen('\\p{L}', '\\p{L}'),
  Qwen3_5Tokenizer: qwen('[\\p{L}\\p{M}]', '\\p{L}\\p{M}'),
  CohereTokenizer: byteLevel(
    NFC,
    {
      ...{ unk_token: '<UNK>', bos_token: '<BOS_TOKEN>', eos_token: '<|END_OF_TURN_TOKEN|>' },
      ...{ pad_token: '<PAD>', cls_token: '<CLS>', sep_token: '<SEP>', mask_token: '<MASK_TOKEN>' },
    },
    { type: 'Digits', individual_digits: true },
  ),
  BertTokenizer: (config) => ({
    normalizer: {
      ...{ type: 'BertNormalizer', clean_text: true },
      handle_chinese_chars: config.tokenize_chinese_chars ?? true,
      strip_accents: config.strip_accents ?? null,
      lowercase: config.do_lower_case ?? true,
    },
    preTokenizer: { type: 'BertPreTokenizer' },
    model: {
      ...{ type: 'WordPiece', unk_token: literalOf(config.unk_token ?? '[UNK]') },
      ...{ continuing_subword_prefix: '##', max_input_chars_per_word: 100 },
    },
    roles: {
      ...{ unk_token: '[UNK]', sep_token: '[SEP]', pad_token: '[PAD]' },
      ...{ cls_token: '[CLS]', mask_token: '[MASK]' },
    },
  }),
}

/** The first part of tokenizer.json that the class makes otherwise. */
function otherPart(tokenizer: JsonObject, made: Made): string | undefined {
  const { normalizer, pre_tokenizer: preTokenizer, model } = tokenizer
  const isSame = (one: unknown, other: unknown) => isDeepStrictEqual(plain(one), plain(other))
  if (!isObject(model) || !isSame(modelFields(model), modelFields({ ...model, ...made.model })))
    return 'the model'
  if (!isSame(normalizer, made.normalizer)) return 'the normalizer'
  return isSame(preTokenizer, made.preTokenizer) ? undefined : 'the pre_tokenizer'
}

/** A component without what changes no id, and with what is meant where nothing is said. */
function plain(component: unknown): unknown {
  if (Array.isArray(component)) return component.map(plain)
  if (!isObject(component)) return component ?? null
  const { trim_offsets: _, ...fields } = component
  const list = fields.normalizers ?? fields.pretokenizers
  if (fields.type === 'Sequence' && Array.isArray(list) && list.length < 2) return plain(list[0])
  const meant = fields.type === 'ByteLevel' ? { add_prefix_space: true, use_regex: true, ...fields } : fields
  return Object.fromEntries(Object.entries(meant).map(([name, value]) => [name, plain(value)]))
}

/** The model's own fields; of those that both have, a class changes some. */
function modelFields(model: JsonObject): JsonObject {
  const { vocab, merges: _, continuing_subword_prefix: prefix, end_of_word_suffix: suffix, ...rest } = model
  const { dropout, unk_token: unknown, fuse_unk: fuses, ...fields } = rest
  const isNeverUnknown = fields.byte_fallback === true && hasEveryByte(vocab)
  return {
    ...fields,
    byte_fallback: fields.byte_fallback ?? false,
    ignore_merges: fields.ignore_merges ?? false,
    dropout: dropout || null,
    prefix: prefix || null,
    suffix: suffix || null,
    ...(!isNeverUnknown && { unknown: unknown ?? null, fuses: (unknown ?? null) !== null && fuses === true }),
  }
}

function hasEveryByte(vocab: unknown): boolean {
  const names = Array.from({ length: 256 }, (_, byte) => byte.toString(16).toUpperCase().padStart(2, '0'))
  return isObject(vocab) && names.every((name) => Object.hasOwn(vocab, `<0x${name}>`))
}

/**
 * The tokens that the other files list, or do not list, otherwise than tokenizer.json.
 *
 * @param roles the class's own tokens; undefined where it takes tokenizer.json as it is
 */
function tokensOf(files: AutoTokenizerFiles, roles?: Made['roles']): OtherIds {
  const entries = addedTokens(files.tokenizer).filter(({ content }) => typeof content === 'string')
  const own = new Map(entries.map((entry) => [entry.content as string, entry]))
  const isNormalizing = (files.tokenizer.normalizer ?? null) !== null
  const tokens: Record<string, string> = {}
  let all: string | undefined
  for (const [value, where, token] of listedTokens(files, roles)) {
    const literal = literalOf(value) || undefined
    const known = own.get(literal ?? '')
    if (literal === undefined || (known && (token === undefined || isSameToken(known, token)))) continue
    tokens[literal] = `${where} lists ${told(literal)}${known === undefined ? '' : ' otherwise'}`
    if (isNormalizing && token?.normalized === true) all = tokens[literal]
  }
  const [made, ids] = [madeIds(files), idsOf([...own.keys()], files.tokenizer)]
  for (const [literal, id] of roles === undefined ? [] : ids)
    if (made.get(literal) !== id) tokens[literal] ??= `the class gives ${told(literal)} another id`
  return { ...(all !== undefined && { always: all }), tokens }
}

function addedTokens({ added_tokens: tokens }: JsonObject): readonly JsonObject[] {
  return Array.isArray(tokens) ? tokens.filter(isObject) : []
}

/** Ids of added tokens: a class that rebuilds its tokenizer adds them in the order of their ids in the files. */
function madeIds({ tokenizer, config = {}, added = {} }: AutoTokenizerFiles): ReadonlyMap<string, number> {
  const { added_tokens_decoder: decoder } = config
  const listed: readonly (readonly [id: unknown, token: unknown])[] = isObject(decoder)
    ? Object.entries(decoder)
    : [
        ...Object.entries(added).map(([literal, id]) => [id, literal] as const),
        ...addedTokens(tokenizer).map((token) => [token.id, token] as const),
      ]
  const byId = new Map(listed.map(([id, token]) => [Number(id), literalOf(token) ?? '']))
  const sorted = [...byId].sort(([one], [other]) => one - other).map(([, literal]) => literal)
  return idsOf(sorted, tokenizer)
}

/** Ids that the Rust library gives to added tokens: the vocabulary's, else the next behind it. */
function idsOf(literals: readonly string[], { model }: JsonObject): ReadonlyMap<string, number> {
  const vocab = isObject(model) && isObject(model.vocab) ? model.vocab : {}
  let next = Object.keys(vocab).length
  const ids = new Map<string, number>()
  for (const literal of literals)
    if (!ids.has(literal)) ids.set(literal, Object.hasOwn(vocab, literal) ? Number(vocab[literal]) : next++)
  return ids
}

function isSameToken(one: JsonObject, other: JsonObject): boolean {
  const flags = ['lstrip', 'rstrip', 'single_word', 'normalized'] as const
  return flags.every((flag) => (one[flag] ?? false) === (other[flag] ?? false))
}

/** The tokens that files beside tokenizer.json list, or the class has: a literal or a token, its place, and its flags if they count. */
function* listedTokens(
  { config = {}, map = {}, added = {} }: AutoTokenizerFiles,
  roles: Made['roles'] = {},
): Generator<readonly [value: unknown, where: string, token?: JsonObject]> {
  const { added_tokens_decoder: decoder } = config
  const isLegacy = decoder === undefined
  for (const token of isObject(decoder) ? Object.values(decoder) : [])
    if (isObject(token)) yield [token, `${CONFIG}: \`added_tokens_decoder\``, token]
  for (const [file, json] of Object.entries({ [CONFIG]: config, ...(isLegacy && { [MAP]: map }) }))
    for (const [field, value] of Object.entries(json)) {
      const isList = NAMED_ELSEWHERE.includes(field) && typeof value === 'object'
      const values = field.endsWith('_token') ? [value] : isList ? Object.values(value ?? {}) : []
      for (const each of values) yield [each, `${file}: \`${field}\``]
    }
  for (const content of isLegacy ? Object.keys(added) : [])
    yield [content, 'added_tokens.json', { normalized: true }]
  for (const [field, literal] of Object.entries(roles))
    if (!Object.hasOwn(config, field) && !Object.hasOwn(map, field))
      yield [literal, `${CONFIG}: \`tokenizer_class\`, whose \`${field}\``]
}

const NAMED_ELSEWHERE = ['additional_special_tokens', 'extra_special_tokens', 'model_specific_special_tokens']
const CONFIG = 'tokenizer_config.json'
const MAP = 'special_tokens_map.json'

function literalOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value
  return isObject(value) && typeof value.content === 'string' ? value.content : undefined
}
