// Without @tensorflow/tfjs-node only the cpu backend is measured, without torch its column stays empty.
import { spawnSync } from 'node:child_process'
import { engine, setBackend } from '@tensorflow/tfjs-core'
import { useWorkspace } from '../../build/src/first-layer/embeddings/backends/cpu.js'
import { BACKEND_CHOICES, selectBackend } from '../../build/src/first-layer/embeddings/backends/select.js'
import { gatherAndAdd } from '../../build/src/first-layer/embeddings/op.js'
import { tableOver } from '../../build/src/first-layer/embeddings/table.js'
import {
  allocateWorkspace,
  BLOCK_BYTES,
  Workspace,
  workspaceBytes,
} from '../../build/src/first-layer/embeddings/workspace.js'
import { ModelMemory } from '../../build/src/first-layer/kernels/model-memory.js'
import { findPython, peer } from './harness/python.mjs'
import { figure } from './harness/text.mjs'

/** Each is measured so often, by turns, and the least median is kept. */
const ROUNDS = 4
const VOCAB = 50257
const POSITIONS = 1024
const SIZES = [
  [8, 4, 256],
  [4, 256, 256],
  [16, 256, 256],
  [16, 1024, 256],
  [8, 1024, 768],
  [16, 1024, 768],
]

/** Arrays in one model memory, as the service holds its tables. */
function arraysIn(lengths, dim) {
  const bytes = lengths.reduce((sum, length) => sum + length * 4 + 64, 0)
  const memory = ModelMemory.create(bytes + workspaceBytes(dim) + 64)
  useWorkspace(new Workspace(memory, allocateWorkspace(memory, dim)))
  return lengths.map((length) => memory.float32(memory.allocate(length * 4), length))
}

function medianMilliseconds(work, runs) {
  for (let i = 0; i < 3; i++) work()
  const took = Array.from({ length: runs }, () => {
    const start = performance.now()
    work()
    return performance.now() - start
  })
  return took.sort((a, b) => a - b)[runs >> 1]
}

/** Element by element; what others do on the machine makes a round longer, never shorter. */
const least = (rounds) => rounds[0].map((_, i) => Math.min(...rounds.map((round) => round[i])))

const WAYS = ['blocks', 'at once', 'fresh']

/** The three ways to have the rows [B·T, C]: in blocks as the service writes them, at once, at once as a new array. */
function waysFor([batch, length, dim], tables) {
  const rows = batch * length
  const [tokens, places, whole] = tables
  const table = tableOver(tokens, 'float32', dim)
  const positions = tableOver(places, 'float32', dim)
  const ids = Int32Array.from({ length: rows }, (_, i) => (i * 7919 + 13) % VOCAB)
  const run = (firstRow, count, out) => {
    const idTensor = engine().makeTensor(ids.subarray(firstRow, firstRow + count), [count], 'int32')
    const attrs = { positionStart: 0, contextLength: length, firstRow, out }
    const sums = gatherAndAdd({ table, ids: idTensor, positions }, attrs)
    const values = sums.dataSync()
    sums.dispose()
    idTensor.dispose()
    return values
  }
  const blockRows = Math.min(rows, Math.floor(BLOCK_BYTES / (dim * 4)))
  const ways = {
    blocks() {
      for (let first = 0; first < rows; first += blockRows) {
        const count = Math.min(blockRows, rows - first)
        run(first, count, whole.subarray(0, count * dim))
      }
    },
    whole: () => run(0, rows, whole),
    fresh: () => run(0, rows, undefined),
  }
  const dispose = () => {
    table.tensor.dispose()
    positions.tensor.dispose()
  }
  return { ways, dispose }
}

function torchRound(python, size) {
  const input = `${JSON.stringify({ vocab: VOCAB, positions: POSITIONS, size })}\n`
  const { stdout } = spawnSync(python.path, [peer('torch_lookup.py')], { input, encoding: 'utf8' })
  return [JSON.parse(stdout).milliseconds]
}

/** Both backends, and PyTorch on the CPU, on the same lookups. */
export async function bench({ quick, say }) {
  const backends = []
  for (const name of BACKEND_CHOICES.filter((choice) => choice !== 'auto')) {
    try {
      backends.push(await selectBackend(name))
    } catch (error) {
      say(error.message)
    }
  }
  const python = findPython('torch')
  if (python.absent) say(`PyTorch is absent: ${python.absent}`)

  const rows = []
  for (const size of quick ? SIZES.slice(0, 2) : SIZES) {
    const rounds = await roundsOf(size, backends, python)
    const medians = Object.fromEntries(Object.entries(rounds).map(([name, each]) => [name, least(each)]))
    rows.push([
      size.join(' × '),
      figure((size[0] * size[1] * size[2] * 4) / 2 ** 20),
      ...backends.flatMap(({ name }) => medians[name].map(figure)),
      figure(medians.torch?.[0]),
    ])
    say(rows.at(-1).join(' | '))
  }
  const heads = backends.flatMap(({ name }) => WAYS.map((way) => `${name}, ${way}`))
  const versions = backends.map(({ name, version }) => `${name} ${version}`)
  if (python.path) versions.push(`PyTorch ${python.versions.torch}`)
  return {
    title: 'Backends of TensorFlow.js, milliseconds',
    notes: [`Least of ${ROUNDS} medians. In blocks of 1 MiB, as the service works. ${versions.join(', ')}.`],
    head: ['B × T × C', 'MiB', ...heads, 'PyTorch'],
    rows,
    floors: [],
  }
}

async function roundsOf(size, backends, python) {
  const [batch, length, dim] = size
  const tables = arraysIn([VOCAB * dim, POSITIONS * dim, batch * length * dim], dim)
  for (const values of tables) values.fill(0.25)
  const runs = batch * length * dim > 1 << 22 ? 15 : 60
  const rounds = Object.fromEntries(backends.map(({ name }) => [name, []]))
  if (python.path) rounds.torch = []
  for (let round = 0; round < ROUNDS; round++) {
    for (const { name } of backends) {
      await setBackend(name)
      const { ways, dispose } = waysFor(size, tables)
      rounds[name].push(Object.values(ways).map((work) => medianMilliseconds(work, runs)))
      dispose()
    }
    rounds.torch?.push(torchRound(python, size))
  }
  return rounds
}
