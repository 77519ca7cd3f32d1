/** Files of tokenizers, and the class of transformers that makes a tokenizer.json of them. */
const FORMER: Readonly<Record<string, string>> = {
  'tokenizer.model': 'AutoTokenizer',
  'spiece.model': 'AutoTokenizer',
  'sentencepiece.bpe.model': 'AutoTokenizer',
  'vocab.txt': 'AutoTokenizer',
  // AutoTokenizer would take mistral-common for it, which writes no tokenizer.json.
  'tekken.json': 'PreTrainedTokenizerFast',
  'tiktoken.model': 'PreTrainedTokenizerFast',
}

/** How a folder without tokenizer.json gets one, from the names of its files; undefined: it has no tokenizer at all. */
export function howToMakeTokenizer(names: ReadonlySet<string>): string | undefined {
  const isPair = names.has('vocab.json') && names.has('merges.txt')
  const name = isPair ? 'vocab.json and merges.txt' : Object.keys(FORMER).find((each) => names.has(each))
  if (name === undefined) return undefined
  const type = FORMER[name] ?? 'AutoTokenizer'
  return (
    `The folder has ${name} and no tokenizer.json. In the folder, transformers makes one: ` +
    `python -c 'from transformers import ${type}; ${type}.from_pretrained(".").save_pretrained(".")'`
  )
}
