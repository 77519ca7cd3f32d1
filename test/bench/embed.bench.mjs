import { ownRows } from './embed/own.mjs'
import { cRows, tfjsRows, torchRows } from './embed/rivals.mjs'
import { atLeast } from './harness/floors.mjs'
import { median, ratio, takeTurns } from './harness/rounds.mjs'
import { figure, times } from './harness/text.mjs'

const SIZES = [
  { dim: 256, contextLength: 4, blocks: 16 },
  { dim: 256, contextLength: 1024, blocks: 16 },
  { dim: 256, contextLength: 1024, blocks: 64 },
  { dim: 768, contextLength: 1024, blocks: 48 },
]
const FLOORS = { C: 0.9, PyTorch: 2.5, 'TensorFlow.js wasm': 50 }

/** Rows of a table gathered, rows of another added: one thread each. */
export async function bench({ rounds, quick, say }) {
  const c = cRows()
  const torch = await torchRows()
  const rivals = {
    C: c,
    PyTorch: torch,
    'TensorFlow.js wasm': tfjsRows('wasm'),
    'TensorFlow.js cpu': tfjsRows('cpu'),
  }
  for (const [name, { absent }] of Object.entries(rivals)) if (absent) say(`${name} is absent: ${absent}`)
  const present = Object.entries(rivals).filter(([, { absent }]) => !absent)

  const rows = []
  const floors = []
  try {
    for (const size of quick ? SIZES.slice(1, 2) : SIZES) {
      const figures = await takeTurns(rounds, {
        Inlet: ownRows('embedRows', size),
        float16: ownRows('embedRowsFloat16', size),
        ...Object.fromEntries(present.map(([name, rival]) => [name, rival.rows(size)])),
      })
      const what = `${size.blocks} MiB, T ${size.contextLength}, C ${size.dim}`
      const ratios = Object.fromEntries(present.map(([name]) => [name, ratio(figures.Inlet, figures[name])]))
      const cells = Object.keys(rivals).map((name) =>
        figures[name] ? `${figure(median(figures[name]))}, ${times(ratios[name])}` : '–',
      )
      rows.push([what, figure(median(figures.Inlet)), figure(median(figures.float16)), ...cells])
      say(rows.at(-1).join(' | '))
      for (const [name, floor] of Object.entries(FLOORS)) {
        if (ratios[name]) floors.push(atLeast(`${what}, beside ${name}`, ratios[name].middle, floor))
      }
    }
  } finally {
    c.dispose()
    torch.stop()
  }
  return {
    title: 'Token rows + position rows, in GB/s of float32 sums',
    notes: [
      'One thread each. C: `gcc -O3 -march=native`, the same ids, into a reused block.',
      torch.version ? `PyTorch ${torch.version}.` : '',
    ],
    head: ['answer', 'Inlet', 'Inlet, to float16', ...Object.keys(rivals)],
    rows,
    floors,
  }
}
