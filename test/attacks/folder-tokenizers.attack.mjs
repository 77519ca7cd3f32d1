import { JSON_LIMIT, jsonPost, MIB, repeated } from './harness/bodies.mjs'
import { literal, modelsFolder } from './harness/models-folder.mjs'
import { expectAllowed, sendOne } from './harness/single-request.mjs'

// Tokenizers of folders: normal forms, a thousand added tokens, WordPiece and its text.

const ROOM = JSON_LIMIT - 256
const asJson = (model, text, also) => `{"model":"${model}"${also},"text":"${text}"}`
const tokenize = (model, unit, { bytes = ROOM, also = ',"count_only":true' } = {}) => ({
  make: () => jsonPost('/v1/tokenize', asJson(model, unit.repeat(bytes / Buffer.byteLength(unit)), also)),
})
const ALL = ',"allowed_special":"all","count_only":true'
const full = { also: '' }
const detokenize = (model, ids) => ({
  make: () => jsonPost('/v1/detokenize', repeated(`{"model":"${model}","input_ids":[`, ids, ']}')),
})
const thousand = JSON.stringify(Array.from({ length: 1000 }, (_, i) => literal(i)))

export const name = 'folder-tokenizers'
export const about =
  'rows of combining marks, text of which every letter may begin an added token, WordPiece’s text'
export const variants = {
  'marks, normal form C': tokenize('qwen2', '\u0301'),
  'marks out of order': tokenize('qwen2', '\u0301\u0316'),
  'marks out of order, with places': tokenize('qwen2', '\u0301\u0316', full),
  '4,095 marks and a letter': tokenize('qwen2', `a${'\u0301\u0316'.repeat(2047)}\u0301`),
  'letters that come apart': tokenize('qwen2', '\u0344'),
  'Hangul in parts': tokenize('qwen2', '\u1100\u1161\u11a8'),
  'marks in four bytes': tokenize('qwen2', '\u{1d165}\u{1d16e}'),
  '65,536 × <': tokenize('literals', '<', { bytes: 65_536, also: ALL }),
  '2 MiB of <': tokenize('literals', '<', { also: ALL }),
  '2 MiB of almost a literal': tokenize('literals', '<|reserved_special_token_', { also: ALL }),
  '2 MiB of a literal': tokenize('literals', literal(7), { also: ALL }),
  '2 MiB of a literal, with places': tokenize('literals', literal(7), { also: ',"allowed_special":"all"' }),
  'a thousand allowed': tokenize('literals', '<|reserved', {
    bytes: ROOM - thousand.length,
    also: `,"allowed_special":${thousand},"count_only":true`,
  }),
  'a thousand allowed, a text of one letter': tokenize('literals', '<', {
    bytes: 1,
    also: `,"allowed_special":${thousand}`,
  }),
  '2 MiB of one letter': tokenize('llama3', 'a'),
  '2 MiB of one-byte tokens, with places': tokenize('llama3', 'qx', full),
  '2 MiB of one letter, WordPiece': tokenize('wordpiece-uncased', 'a'),
  '2 MiB of short words, WordPiece': tokenize('wordpiece-uncased', 'a '),
  '2 MiB of marks, WordPiece': tokenize('wordpiece-uncased', '\u0301\u0316'),
  'letters of many marks, WordPiece': tokenize('wordpiece-uncased', 'ᾂ'),
  'one character for 18, WordPiece': tokenize('wordpiece-uncased', 'ﷺ'),
  '2 MiB of CJK, with places, WordPiece': tokenize('wordpiece-uncased', '漢', full),
  '2 MiB of brackets, WordPiece': tokenize('wordpiece-added', '[', { also: ALL }),
  'a million ids, WordPiece': detokenize('wordpiece-uncased', '7'),
  'half a million ids, WordPiece': detokenize('wordpiece-uncased', '900'),
  'a million ids, byte-level': detokenize('qwen2', '7'),
}
export const env = {
  get MODELS_DIR() {
    return modelsFolder()
  },
}
export const bounds = { rssBytes: 800 * MIB }

export const prepare = ({ make }) => make()
export const send = sendOne
export const expect = expectAllowed
