/** A ratio as `times` writes it: `8.66 × (8.52–9.85)`. */
const RATIO = /(?:^|, )([\d.,]+ ×(?: \([^)]*\))?)/
const NONE = '–'

/**
 * The README's lines: which figure of which bench, beside which rival.
 *
 * `row`: cells that the row has, `own`: the column of our figure, `beside`: the column of the rival's, whose ratio is
 * part of the cell. `rival` says who that is, where the column's name does not.
 */
export const DECIDING = [
  {
    what: 'prose → GPT-2 ids, between other encoders, MB/s',
    bench: 'tokenizers',
    row: ['gpt2', 'prose'],
    own: 'MB/s',
    beside: 'fastest of npm',
    rival: 'the fastest encoder of npm',
  },
  {
    what: 'the same, alone, MB/s',
    bench: 'tokenizers',
    row: ['gpt2', 'prose'],
    own: 'MB/s alone',
    beside: 'Python’s tiktoken',
  },
  {
    what: 'prose → GPT-2 ids through the service, MB/s',
    bench: 'tokenizers-rust',
    row: ['gpt2', 'prose'],
    own: 'service, MB/s',
    beside: 'service, gigatoken',
    rival: 'gigatoken (Rust, AVX-512), the library alone',
  },
  {
    what: '1 MB of random letters, one word → GPT-2 ids, MB/s',
    bench: 'hostile',
    row: ['gpt2', 'random letters'],
    own: 'MB/s at 1 MB',
    beside: 'tiktoken (WASM), 10 KB',
    rival: 'tiktoken (WASM), both on 10 KB',
  },
  {
    what: 'token rows + position rows, 16 MiB, GB/s',
    bench: 'embed',
    row: ['16 MiB, T 1024, C 256'],
    own: 'Inlet',
    beside: 'C',
    rival: 'C, `gcc -O3 -march=native`',
  },
  {
    what: 'the same',
    bench: 'embed',
    row: ['16 MiB, T 1024, C 256'],
    own: 'Inlet',
    beside: 'PyTorch',
  },
  {
    what: 'float32 → decimals, million a second',
    bench: 'floats',
    row: ['Inlet'],
    own: 'million floats/s',
    beside: 'ratio',
    rival: '`JSON.stringify`',
  },
  {
    what: 'text → 16 MiB of binary answer over HTTP, GB/s',
    bench: 'http-large',
    row: [],
    own: 'Inlet',
    beside: 'FastAPI + PyTorch',
  },
  {
    what: 'text → [8, 4, 256] over HTTP in binary, requests a second',
    bench: 'http-small',
    row: ['binary'],
    own: 'Inlet',
    beside: 'FastAPI + PyTorch',
  },
  {
    what: 'the same',
    bench: 'http-small',
    row: ['binary'],
    own: 'Inlet',
    beside: 'an empty Fastify route',
    rival: 'an empty Fastify route, the limit',
  },
  {
    what: '256 KB of text to few numbers, two threads, requests a second',
    bench: 'threads',
    row: [],
    own: 'two threads',
    beside: 'two threads',
    rival: 'one thread',
  },
]

/**
 * One of the lines as cells of a table; a dash where the bench or the rival was not there.
 *
 * `{ what: 'rows', own: 'Inlet', beside: 'C', … }`, a row with `8.70` and `6.28, 1.32 × (1.01–1.49)` →
 * `['rows', '8.70', 'C', '1.32 × (1.01–1.49)']`
 */
export function decidingRow({ what, bench, row, own, beside, rival = beside }, results) {
  const { head = [], rows = [] } = results[bench] ?? {}
  const cells = rows.find((each) => row.every((cell) => each.includes(cell)))
  const cell = (column) => String(cells?.[head.indexOf(column)] ?? NONE)
  const [figure] = cell(own).split(', ')
  return [what, figure, rival, RATIO.exec(cell(beside))?.[1] ?? NONE]
}
