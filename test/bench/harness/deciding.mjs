/** A ratio as `times` writes it: `8.66 × (8.52–9.85)`. */
const RATIO = /(?:^|, )([\d.,]+ ×(?: \([^)]*\))?)/
const NONE = '–'

/**
 * The README's lines: which figure of which bench, beside which rival.
 *
 * `row`: cells that the row has, `own`: the column of our figure, `beside`: the column of the rival's, whose ratio is
 * part of the cell; its head may name a version too. `rival` says who that is from the head and the cell.
 */
export const DECIDING = [
  {
    what: 'learn: text → token + position rows [8, 4, 256] in one HTTP request, requests a second',
    bench: 'http-small',
    row: ['binary'],
    own: 'Inlet',
    beside: 'FastAPI',
  },
  {
    what: 'the rows alone, 16 MiB of float32, GB/s',
    bench: 'embed',
    row: ['16 MiB, T 1024, C 256', 'float32'],
    own: 'Inlet',
    beside: 'PyTorch',
  },
  {
    what: 'float32 → the text of JSON, million numbers a second',
    bench: 'floats',
    row: ['Inlet'],
    own: 'million floats/s',
    beside: 'ratio',
    rival: () => '`JSON.stringify`',
  },
  {
    what: 'train: batches [16, 1024] in a PyTorch DataLoader, no workers, samples a second',
    bench: 'loader',
    row: [0],
    own: 'Inlet',
    beside: 'a local np.memmap',
    rival: memmap,
  },
  {
    what: 'the same DataLoader with 2 workers, samples a second',
    bench: 'loader',
    row: [2],
    own: 'Inlet',
    beside: 'a local np.memmap',
    rival: memmap,
  },
  {
    what: 'serve: a chat of 50,000 tokens → ids by its template, one HTTP request, milliseconds',
    bench: 'chat',
    row: [],
    own: 'Inlet',
    beside: 'transformers',
    rival: (name) => `${name}, \`apply_chat_template\` in Python, no HTTP`,
  },
  {
    what: 'English prose not seen before → GPT-2 ids, a function call on one thread, MB/s',
    bench: 'tokenizers',
    row: ['gpt2', 'prose'],
    own: 'Inlet',
    beside: 'fastest library',
    rival: (_, cell) => `${cell.split(', ')[0]}, the fastest library of the run`,
  },
  {
    what: 'the same call, MB/s',
    bench: 'tokenizers',
    row: ['gpt2', 'prose'],
    own: 'Inlet',
    beside: 'tiktoken',
    rival: (name) => `${name} in Python`,
  },
  {
    what: 'text → 16 MiB of raw rows in one HTTP answer, GB/s',
    bench: 'http-large',
    row: [],
    own: 'Inlet',
    beside: 'FastAPI',
  },
]

function memmap(name) {
  return `the same loader over ${name}`
}

/**
 * One of the lines as cells of a table; a dash where the bench or the rival was not there.
 *
 * `{ what: 'rows', own: 'Inlet', beside: 'C', … }`, a row with `8.70` and `6.28, 1.32 × (1.01–1.49)` →
 * `['rows', '8.70', 'C', '1.32 × (1.01–1.49)']`
 */
export function decidingRow({ what, bench, row, own, beside, rival = (name) => name }, results) {
  const { head = [], rows = [] } = results[bench] ?? {}
  const cells = rows.find((each) => row.every((cell) => each.includes(cell)))
  const column = (name) => head.findIndex((each) => each === name || each.startsWith(`${name} `))
  const cell = (name) => String(cells?.[column(name)] ?? NONE)
  const [figure] = cell(own).split(', ')
  const theirs = cell(beside)
  return [what, figure, rival(head[column(beside)] ?? beside, theirs), RATIO.exec(theirs)?.[1] ?? NONE]
}
