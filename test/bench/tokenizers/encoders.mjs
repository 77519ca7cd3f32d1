import { driveAsync } from '../../../build/src/first-layer/running/drive.js'
import { loadEncoding } from '../../../build/src/first-layer/tokens/encoding.js'
import { tokenizeText } from '../../../build/src/first-layer/tokens/tokenize.js'
import { importRival, rivalPath, rivalVersion } from '../harness/npm-rivals.mjs'

const NONE = new Set()

/** Our own, as the service calls it. */
export async function ownEncoder(name) {
  const encoding = await loadEncoding(name)
  return { encode: (text) => driveAsync(tokenizeText(encoding, text, { allowedSpecial: NONE })) }
}

/** Tokenizers that this project has anyway: they are installed wherever it is. */
export const INSTALLED = {
  async 'js-tiktoken'(name) {
    const { Tiktoken } = await import('js-tiktoken/lite')
    const tiktoken = new Tiktoken((await import(`js-tiktoken/ranks/${name}`)).default)
    return { encode: (text) => tiktoken.encode(text, [], []) }
  },
  async 'tiktoken (WASM)'(name) {
    const { get_encoding } = await import('tiktoken')
    const tiktoken = get_encoding(name)
    return { encode: (text) => tiktoken.encode_ordinary(text) }
  },
}

/** The fast encoders on npm. */
export const FROM_NPM = {
  async 'gpt-tokenizer'(name) {
    const { encode } = await importRival(`gpt-tokenizer/encoding/${name === 'gpt2' ? 'r50k_base' : name}`)
    return { encode: (text) => encode(text, { disallowedSpecial: NONE }) }
  },
  // It has no gpt2; p50k_base is that vocabulary with other runs of spaces. 'all' is its way to ask for ordinary text.
  async 'ai-tokenizer'(name) {
    const { Tokenizer } = await importRival('ai-tokenizer')
    const own = name === 'gpt2' ? 'p50k_base' : name
    const tokenizer = new Tokenizer(await importRival(`ai-tokenizer/encoding/${own}`))
    return { encode: (text) => tokenizer.encode(text, 'all'), hasOtherIds: own !== name }
  },
  async '@microsoft/tiktokenizer'(name) {
    const { createTokenizer, getRegexByEncoder, getSpecialTokensByEncoder } =
      await importRival('@microsoft/tiktokenizer')
    const { default: file } = await import(`js-tiktoken/ranks/${name}`)
    const ranks = new Map()
    for (const line of file.bpe_ranks.split('\n')) {
      const [, first, ...tokens] = line.split(' ')
      for (const [i, token] of tokens.entries()) {
        ranks.set(new Uint8Array(Buffer.from(token, 'base64')), Number(first) + i)
      }
    }
    const tokenizer = createTokenizer(ranks, getSpecialTokensByEncoder(name), getRegexByEncoder(name))
    return { encode: (text) => tokenizer.encode(text, []) }
  },
}

/** `js-tiktoken 1.0.21`, … */
export function encoderVersions(npmNames) {
  const installed = new URL('../../../node_modules', import.meta.url).pathname
  return [
    ...['js-tiktoken', 'tiktoken'].map((name) => `${name} ${rivalVersion(name, installed)}`),
    ...npmNames.map((name) => `${name} ${rivalVersion(name, rivalPath())}`),
  ]
}
