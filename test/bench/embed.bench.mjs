import { ownRows } from './embed/own.mjs'
import { cRows, tfjsRows, torchRows } from './embed/rivals.mjs'
import { atLeast } from './harness/floors.mjs'
import { median, ratio, takeTurns } from './harness/rounds.mjs'
import { SMOKE } from './harness/smoke.mjs'
import { figure, times } from './harness/text.mjs'

const SIZES = [
  { dim: 256, contextLength: 1024, blocks: 16 },
  { dim: 768, contextLength: 1024, blocks: 48 },
]
const DTYPES = ['float32', 'float16', 'bfloat16']
const FLOORS = { C: 0.9, PyTorch: 2.5, 'TensorFlow.js wasm': 50 }

/** Rows of a table gathered, rows of another added, both stored alike: one thread each. */
export async function bench({ rounds, quick, say }) {
  const c = cRows()
  const torch = await torchRows()
  const rivals = {
    C: c,
    PyTorch: torch,
    'TensorFlow.js wasm': tfjsRows(),
  }
  for (const [name, { absent }] of Object.entries(rivals)) if (absent) say(`${name} is absent: ${absent}`)
  const present = Object.entries(rivals).filter(([, { absent }]) => !absent)

  const rows = []
  const floors = []
  try {
    const sizes = quick ? SIZES.slice(0, 1) : SIZES
    for (const size of sizes.flatMap((each) =>
      (SMOKE ? DTYPES.slice(0, 1) : DTYPES).map((dtype) => ({ ...each, dtype })),
    )) {
      const { blocks, contextLength, dim, dtype } = size
      const here = present.filter(([, { isFloat32Only }]) => !isFloat32Only || dtype === 'float32')
      const figures = await takeTurns(rounds, {
        Inlet: ownRows(size),
        narrow: ownRows(size, dtype === 'float32' ? 'float16' : dtype),
        ...Object.fromEntries(here.map(([name, rival]) => [name, rival.rows(size)])),
      })
      const what = `${blocks} MiB, T ${contextLength}, C ${dim}`
      const ratios = Object.fromEntries(here.map(([name]) => [name, ratio(figures.Inlet, figures[name])]))
      const cells = Object.keys(rivals).map((name) =>
        figures[name] ? `${figure(median(figures[name]))}, ${times(ratios[name])}` : '–',
      )
      rows.push([what, dtype, figure(median(figures.Inlet)), figure(median(figures.narrow)), ...cells])
      say(rows.at(-1).join(' | '))
      for (const [name, floor] of Object.entries(FLOORS)) {
        if (dtype === 'float32' && ratios[name])
          floors.push(atLeast(`${what}, beside ${name}`, ratios[name].middle, floor))
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
      'To 16 bits: as a request with `dtype` goes unless its architecture works on the rows; float32 tables to float16, others to their own type.',
    ],
    head: [
      ...['answer', 'tables', 'Inlet', 'Inlet, to 16 bits'],
      ...Object.entries(rivals).map(([name, { version }]) => [name, version].filter(Boolean).join(' ')),
    ],
    rows,
    floors,
  }
}
