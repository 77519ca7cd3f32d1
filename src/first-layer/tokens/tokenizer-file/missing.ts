/** The reason why a folder without tokenizer.json has no tokenizer, and the remedy, from the names of its files. */
export function missingTokenizerReason(names: ReadonlySet<string>): string {
  const found = [
    names.has('vocab.json') && names.has('merges.txt') ? 'vocab.json and merges.txt' : '',
    ...['tokenizer.model', 'spiece.model', 'sentencepiece.bpe.model', 'vocab.txt'].filter((name) =>
      names.has(name),
    ),
  ].filter((name) => name !== '')
  if (found.length === 0) return 'The folder has no tokenizer.json.'
  return (
    `The folder has ${found[0]} and no tokenizer.json. In the folder, transformers makes one: ` +
    'python -c \'from transformers import AutoTokenizer; AutoTokenizer.from_pretrained(".").save_pretrained(".")\''
  )
}
