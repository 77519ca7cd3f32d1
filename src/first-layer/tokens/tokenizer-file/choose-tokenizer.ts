import type { BytePairSpec } from '../byte-pair/byte-pair-tokenizer.js'
import type { RustSpec } from '../rust/rust-tokenizer.js'
import { tokenStrings } from '../vocabulary.js'
import type { WordPieceSpec } from '../wordpiece/wordpiece-tokenizer.js'
import { writingOf } from '../writing.js'
import { bytePairOf } from './byte-pair-of.js'
import { type JsonObject, parseJsonFile } from './fields.js'
import { readModel } from './model-vocabulary.js'
import { sentencePieceOf } from './sentencepiece-of.js'
import {
  ROLES,
  readAddedTokens,
  readRoles,
  type SideFile,
  type TokenizerFacts,
  templateOf,
} from './tokenizer-facts.js'
import { wordPieceOf } from './wordpiece-of.js'

/** File names of a tokenizer in a model folder. */
export const TOKENIZER_FILES = {
  tokenizer: 'tokenizer.json',
  config: 'tokenizer_config.json',
  specialTokensMap: 'special_tokens_map.json',
} as const

/** The texts of a folder's tokenizer files; undefined: the folder lacks the file. */
export interface TokenizerTexts {
  readonly tokenizer: string
  readonly config?: string | undefined
  readonly specialTokensMap?: string | undefined
}

/** GPT-2's separator of documents, for files without another. */
const END_OF_TEXT = '<|endoftext|>'

/** The facts of the files, and the encoder for them. Plain data, which can be posted to a thread. */
export type TokenizerFile = { readonly facts: TokenizerFacts } & (
  | { readonly kind: 'byte_pair'; readonly spec: BytePairSpec }
  | { readonly kind: 'wordpiece'; readonly spec: WordPieceSpec }
  /** With tokenizer.json without truncation and padding, for the Rust library. */
  | { readonly kind: 'foreign'; readonly spec: RustSpec; readonly json: string }
)

/**
 * Reads the tokenizer files of a folder and chooses the encoder: the byte-pair kernel, WordPiece, or the Rust library for
 * every other `model.type`, and for components that the two do not have. `readModel` refuses types that the Rust library
 * does not know (`MODEL_TYPES`) before this choice. A file of 17 MB takes most of a second: call it in a thread that
 * serves no requests.
 *
 * @param root tokenizer.json if the caller has parsed it
 * @throws InletError `model_failed` with file, field, rule and value
 */
export function readTokenizerFiles(
  texts: TokenizerTexts,
  root = parseJsonFile(TOKENIZER_FILES.tokenizer, texts.tokenizer, JSON.parse),
): TokenizerFile {
  const file = TOKENIZER_FILES.tokenizer
  const config = sideFile(TOKENIZER_FILES.config, texts.config)
  const map = sideFile(TOKENIZER_FILES.specialTokensMap, texts.specialTokensMap)
  const model = readModel(root, file)
  const facts = readFacts(root, model.vocabulary, config, map)

  /** @param component for which the Rust library is needed: `pre_tokenizer Whitespace` */
  const foreign = (component: string, encoder?: BytePairSpec): TokenizerFile => {
    const { addedTokens, endOfText, marks } = facts
    const strings = tokenStrings([
      ...model.vocabulary,
      ...addedTokens.map(({ content, id }) => [content, id] as const),
    ])
    const writing = writingOf(root.decoder)
    const spec = { component, addedTokens, endOfText, marks, strings, writing, encoder }
    return {
      facts,
      kind: 'foreign',
      spec,
      json: JSON.stringify({ ...root, truncation: null, padding: null }),
    }
  }

  switch (model.type) {
    case 'BPE': {
      const spec = bytePairOf(root, model, facts, file)
      if (typeof spec !== 'string') return { facts, kind: 'byte_pair', spec }
      return foreign(`model BPE with ${spec}`, sentencePieceOf(root, model, facts, file))
    }
    case 'WordPiece': {
      const spec = wordPieceOf(root, model, facts, file)
      return typeof spec === 'string' ? foreign(spec) : { facts, kind: 'wordpiece', spec }
    }
    case 'WordLevel':
    case 'Unigram':
      return foreign(`model ${model.type}`)
  }
}

function sideFile(file: string, text: string | undefined): SideFile | undefined {
  return text === undefined ? undefined : { file, json: parseJsonFile(file, text) }
}

function readFacts(
  root: JsonObject,
  vocabulary: ReadonlyMap<string, number>,
  config: SideFile | undefined,
  map: SideFile | undefined,
): TokenizerFacts {
  const file = TOKENIZER_FILES.tokenizer
  const addedTokens = readAddedTokens(root, vocabulary, file)
  const roles = readRoles(config, map)
  const addedIds = new Map(addedTokens.map(({ content, id }) => [content, id]))
  const idOfLiteral = (literal: string) => addedIds.get(literal) ?? vocabulary.get(literal)
  const roleIds: Partial<Record<(typeof ROLES)[number], number>> = {}
  for (const role of ROLES) {
    const id = roles[role] === undefined ? undefined : idOfLiteral(roles[role])
    if (id !== undefined) roleIds[role] = id
  }
  const endoftext = idOfLiteral(END_OF_TEXT)
  return {
    addedTokens,
    roles,
    roleIds,
    endOfText: roleIds.eos ?? roleIds.sep ?? endoftext,
    marks: { endoftext, bos: roleIds.bos, eos: roleIds.eos },
    template: templateOf(root.post_processor, file),
  }
}
