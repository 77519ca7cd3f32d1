/**
 * How to convert a folder whose weights have another form; undefined for one without weights.
 *
 * @param source its place, as `from_pretrained` of transformers takes it
 */
export function howToConvert(names: readonly string[], source: string): string | undefined {
  const from = JSON.stringify(source)
  const has = (pattern: RegExp) => names.find((name) => pattern.test(name))
  const pickle = has(/\.(bin|pth|pt|ckpt)$/)
  if (pickle !== undefined) {
    return `${pickle} is a pickle, which is never opened: convert it with AutoModel.from_pretrained(${from}).save_pretrained(".")`
  }
  const gguf = has(/\.gguf$/)
  if (gguf !== undefined) {
    return `${gguf} is never opened: use the checkpoint that it was made from, or AutoModel.from_pretrained(${from}, gguf_file="${gguf}").save_pretrained(".")`
  }
  const other = has(/\.safetensors$/)
  return other && `${other} is not the model's own file`
}

/** Files of tokenizers of which transformers makes a tokenizer.json. */
const FORMER = ['tokenizer.model', 'spiece.model', 'sentencepiece.bpe.model', 'vocab.txt', 'tekken.json']

/** How a folder without tokenizer.json gets one, from the names of its files; undefined: it has no tokenizer at all. */
export function howToMakeTokenizer(names: ReadonlySet<string>): string | undefined {
  const isPair = names.has('vocab.json') && names.has('merges.txt')
  const name = isPair ? 'vocab.json and merges.txt' : FORMER.find((each) => names.has(each))
  // The expression that cuts a text is in the model's Python code: transformers would take another, and make other ids.
  if (name === undefined && names.has('tiktoken.model'))
    return 'The folder has tiktoken.model and no tokenizer.json: docs/tokenizers.md has the lines that make one'
  if (name === undefined) return undefined
  // AutoTokenizer would take mistral-common for tekken.json, which writes no tokenizer.json.
  const type = name === 'tekken.json' ? 'PreTrainedTokenizerFast' : 'AutoTokenizer'
  const needs = name.endsWith('.model') ? ' (pip install transformers sentencepiece protobuf)' : ''
  return (
    `The folder has ${name} and no tokenizer.json. In the folder, transformers makes one${needs}: ` +
    `python -c 'from transformers import ${type}; ${type}.from_pretrained(".").save_pretrained(".")'`
  )
}
