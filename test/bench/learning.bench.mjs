import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Learner } from '../../build/src/first-layer/learning/learner.js'
import { atLeast } from './harness/floors.mjs'
import { findPython, startPython } from './harness/python.mjs'
import { median, ratio, takeTurns } from './harness/rounds.mjs'
import { SMOKE } from './harness/smoke.mjs'
import { figure, times } from './harness/text.mjs'

const [V, C] = [50_257, 256]
const [B, T] = [8, 256]

/** PyTorch's backward is sparse if the optimizer takes it: only rows with a gradient. */
const OPTIMIZERS = [
  { type: 'sgd', sparse: true, floor: 1, runs: 40 },
  { type: 'adagrad', sparse: true, floor: 1, runs: 40 },
  { type: 'sparse_adam', sparse: true, floor: 1, runs: 40 },
  { type: 'adamw', sparse: false, floor: 0.5, runs: 6 },
]

/** Gradients [8, 256, 256] into a table, and the step: milliseconds, beside PyTorch's backward and step. */
export async function bench({ rounds, quick, say }) {
  const python = findPython('torch')
  if (python.absent) say(`PyTorch is absent: ${python.absent}`)
  const rows = []
  const floors = []
  const limits = []
  const limit = compiledLimit()
  for (const { type, sparse, floor, runs } of SMOKE ? OPTIMIZERS.slice(0, 1) : OPTIMIZERS) {
    const asked = JSON.stringify({ type, sparse, vocab: V, dim: C, shape: [B, T] })
    const torch = python.absent ? undefined : await startPython(python.path, 'torch_learning.py', [asked])
    const own = ownSteps(type)
    const count = quick ? Math.ceil(runs / 4) : runs
    const [sums, steps, backwards, rivals] = [[], [], [], []]
    try {
      await takeTurns(rounds, {
        Inlet: () => {
          const taken = own(count)
          sums.push(taken.gradients)
          steps.push(taken.step)
        },
        ...(type === 'sgd' && limit !== undefined && { C: () => limits.push(limit.run()) }),
        ...(torch && {
          PyTorch: async () => {
            const taken = await torch.ask({ runs: count })
            backwards.push(taken.backward)
            rivals.push(taken.step)
          },
        }),
      })
    } finally {
      torch?.stop()
    }
    const both = (a, b) => a.map((each, round) => each + b[round])
    const beside = torch && ratio(both(backwards, rivals), both(sums, steps))
    const stepBeside = torch && ratio(rivals, steps)
    rows.push([
      type,
      ...[sums, steps, backwards, rivals].map((each) => figure(each.length > 0 ? median(each) : undefined)),
      times(stepBeside),
      times(beside),
    ])
    say(rows.at(-1).join(' | '))
    if (beside) floors.push(atLeast(`${type}, gradients and step beside PyTorch`, beside.middle, floor))
  }
  limit?.remove()
  return {
    title: 'A step of learning, milliseconds',
    notes: [
      ...limitNote(limits),
      `One thread each, gradients [${B}, ${T}, ${C}] of random ids, a table [${V}, ${C}]. Inlet gives norms and the rows that changed too. PyTorch: \`nn.Embedding(sparse=True)\` but for adamw, which moves every row; single-tensor optimizers.`,
    ],
    head: ['optimizer', 'gradients', 'step', 'PyTorch, backward', 'PyTorch, step', 'step', 'both'],
    rows,
    floors,
  }
}

/** Returns a function that gives the median milliseconds of so many calls with gradients, and of their steps. */
function ownSteps(type) {
  const learner = new Learner({ type, lr: 0.01 }, [{ name: 'wte.weight', rows: V, dim: C }])
  learner.tables[0].numbers.fill(0.5)
  const numbers = Float32Array.from({ length: B * T * C }, () => Math.random() - 0.5)
  const gradients = { dtype: 'float32', bytes: new Uint8Array(numbers.buffer) }
  return (runs) => {
    const taken = Array.from({ length: runs }, () => {
      const ids = Int32Array.from({ length: B * T }, () => Math.floor(Math.random() * V))
      const start = performance.now()
      learner.gradients({ token_gradients: gradients, token_ids: ids })
      const middle = performance.now()
      learner.apply()
      return [middle - start, performance.now() - middle]
    })
    return { gradients: median(taken.map(([each]) => each)), step: median(taken.map(([, each]) => each)) }
  }
}

/** Plain SGD in C: `run` gives milliseconds of its four works; undefined where nothing compiles it. */
function compiledLimit() {
  const folder = mkdtempSync(join(tmpdir(), 'inlet-plain-sgd-'))
  const remove = () => rmSync(folder, { recursive: true })
  const program = join(folder, 'plain-sgd')
  const source = fileURLToPath(new URL('learning/plain-sgd.c', import.meta.url))
  try {
    const flags = ['-O3', '-march=native', '-ffast-math']
    execFileSync('cc', [...flags, source, '-o', program, '-lm'], { stdio: 'ignore' })
  } catch {
    remove()
    return undefined
  }
  return { remove, run: () => String(execFileSync(program)).split(' ').map(Number) }
}

function limitNote(limits) {
  if (limits.length === 0) return []
  const [sums, step, cold, warm] = [0, 1, 2, 3].map((work) =>
    figure(median(limits.map((each) => each[work]))),
  )
  return [
    `Plain sgd in C (learning/plain-sgd.c), in the same rounds: ${sums} for sums and norm, ${step} for the step with its norm and marks. PyTorch’s sparse sgd adds each gradient to its row, without sums, norms and marks: ${cold} in C, ${warm} where a forward has just read the rows, as here.`,
  ]
}
